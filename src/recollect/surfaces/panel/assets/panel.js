// Makes the pages lively; each of them works without it.
"use strict";

const page = document.getElementById("page");
const token = document.querySelector('meta[name="form-token"]')?.content ?? "";

// --- asking the server for a page's inside, and putting it in place -------------------------------
async function inside(address, signal) {
  const answer = await fetch(address, { headers: { "X-Fragment": "1" }, signal });
  if (!answer.ok || answer.redirected) throw new Error("not a page");
  return answer.text();
}

function put(html) {
  if (!page || page.dataset.shown === html) return;
  const active = document.activeElement;
  const kept = active && page.contains(active) && active.name
    ? { name: active.name, value: active.value, start: active.selectionStart, end: active.selectionEnd }
    : null;
  const open = [...page.querySelectorAll("details")].map((one) => one.open);
  page.innerHTML = html;
  page.dataset.shown = html;
  page.querySelectorAll("details").forEach((one, at) => { if (open[at]) one.open = true; });
  if (kept) {
    const again = page.querySelector(`[name="${CSS.escape(kept.name)}"]`);
    if (again) {
      again.value = kept.value;
      again.focus();
      if (kept.start !== null && again.setSelectionRange) {
        try { again.setSelectionRange(kept.start, kept.end); } catch { /* a kind without a caret */ }
      }
    }
  }
  bind();
}

// --- search as you type ---------------------------------------------------------------------------
let pending = null;
let waiting = null;

function searched(form) {
  clearTimeout(waiting);
  waiting = setTimeout(async () => {
    pending?.abort();
    pending = new AbortController();
    const filled = [...new FormData(form)].filter(([, value]) => value !== "");
    const query = new URLSearchParams(filled).toString();
    const address = form.getAttribute("action") + (query ? `?${query}` : "");
    try {
      put(await inside(address, pending.signal));
      history.replaceState(null, "", address);
    } catch { /* the next letter asks again */ }
  }, 160);
}

// --- suggestions while a question is typed --------------------------------------------------------
async function suggested(field) {
  document.querySelector(".suggestions")?.remove();
  if (field.value.trim().length < 10) return;
  try {
    const answer = await fetch(`/panel/suggestions?q=${encodeURIComponent(field.value)}`);
    if (!answer.ok) return;
    const html = await answer.text();
    document.querySelector(".suggestions")?.remove();
    if (html.trim()) field.closest("form").insertAdjacentHTML("afterend", html);
  } catch { /* none then */ }
}

// --- lines of JSON as they come ---------------------------------------------------------------------
async function eachLine(answer, tell) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) tell(JSON.parse(line));
  }
}

// A link that was followed while an answer came is not held back by its address.
let leaving = false;
window.addEventListener("beforeunload", () => { leaving = true; });
window.addEventListener("pageshow", () => { leaving = false; });

// --- a question: its steps are shown as they are made, older answers stay below -------------------
function asking(form) {
  const talk = document.querySelector(".talk");
  const stop = form.querySelector("[data-stop-asking]");
  let under = null;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const question = form.elements.q.value.trim();
    if (!question || under) return;
    document.querySelector(".suggestions")?.remove();
    talk.querySelector(".empty")?.remove();
    const turn = document.createElement("article");
    turn.className = "box answer";
    turn.dataset.turn = "";
    const asked = turn.appendChild(document.createElement("h2"));
    asked.textContent = question;
    const state = turn.appendChild(document.createElement("p"));
    state.className = "dim";
    talk.prepend(turn);
    const mine = under = new AbortController();
    const done = () => { if (under === mine) { stop.hidden = true; under = null; } };
    stop.hidden = false;
    try {
      const answer = await fetch("/panel/ask/stream", {
        method: "POST", signal: mine.signal,
        body: new URLSearchParams({ q: question, form_token: token }),
      });
      if (!answer.ok) { state.textContent = await answer.text(); return; }
      await eachLine(answer, (line) => {
        if (line.html) {
          turn.outerHTML = line.html;
          form.elements.q.select();
          done(); // the next question need not wait until the stream is closed
        }
        else if (line.error) state.textContent = [line.error, line.hint].filter(Boolean).join(" ");
        else if (line.sentence) {
          const said = document.createElement("p");
          said.className = "said";
          said.textContent = line.sentence;
          state.before(said);
        } else state.textContent = line.step;
      });
      if (!leaving) history.replaceState(null, "", `/panel/ask?q=${encodeURIComponent(question)}`);
    } catch {
      state.textContent = mine.signal.aborted ? talk.dataset.stopped : talk.dataset.failed;
    } finally { done(); }
  });
  stop.addEventListener("click", () => under?.abort());
}

// --- files dropped on the page --------------------------------------------------------------------
function importing(zone) {
  const field = zone.querySelector('input[type="file"]');
  const said = zone.querySelector("[data-progress]");
  const stop = zone.querySelector("[data-stop]");
  const bar = zone.querySelector("[data-bar]");
  const next = zone.querySelector("[data-next]");
  let under = null;
  const send = async (file) => {
    if (!file || under) return;
    if (zone.dataset.rules.split(" ").includes(file.name)) { previewed(file); return; }
    under = new AbortController();
    stop.hidden = bar.hidden = false;
    next.hidden = true;
    bar.removeAttribute("value");
    said.textContent = `${file.name}: ${said.dataset.sending}…`;
    try {
      const answer = await fetch("/panel/import", {
        method: "POST", body: file, signal: under.signal,
        headers: { "Content-Type": "application/octet-stream", "X-Form-Token": token,
                   "X-File-Name": encodeURIComponent(file.name) },
      });
      if (!answer.ok) { said.textContent = await answer.text(); return; }
      await eachLine(answer, (line) => {
        tell(line, file.name, said);
        if (line.share) bar.value = line.share;
        if (line.done) next.hidden = false;
      });
    } catch {
      said.textContent = said.dataset.stopped;
    } finally { stop.hidden = bar.hidden = true; under = null; field.value = ""; }
  };
  stop.addEventListener("click", () => under?.abort());
  field.addEventListener("change", () => send(field.files[0]));
  zone.addEventListener("dragover", (event) => { event.preventDefault(); zone.classList.add("over"); });
  zone.addEventListener("dragleave", () => zone.classList.remove("over"));
  zone.addEventListener("drop", (event) => {
    event.preventDefault();
    zone.classList.remove("over");
    send(event.dataTransfer.files[0]);
  });
}

function tell(step, name, said) {
  if (step.error) said.textContent = [step.error, step.hint].filter(Boolean).join(" ");
  else if (step.done) said.textContent = [`${name}: ${step.done}`, ...step.problems].join("\n");
  else said.textContent = `${name}: ${step.read} ${said.dataset.reading}`;
}

function droppingText(form) {
  form.addEventListener("dragover", (event) => event.preventDefault());
  form.addEventListener("drop", async (event) => {
    event.preventDefault();
    const file = event.dataTransfer.files[0];
    if (!file) return;
    form.querySelector("textarea").value = await file.text();
    const known = [...form.querySelectorAll("option")].find((one) => one.value === file.name);
    if (known) known.selected = true;
    form.requestSubmit(form.querySelector('[name="preview"]'));
  });
}

// Rules that are dropped where histories are imported are previewed like those dropped on Teach.
async function previewed(file) {
  const form = document.createElement("form");
  form.method = "post";
  form.action = "/panel/teach/rules";
  for (const [name, value] of [["form_token", token], ["name", file.name], ["preview", "yes"], ["rules", await file.text()]]) {
    const field = form.appendChild(document.createElement("textarea"));
    field.name = name;
    field.value = value;
  }
  form.hidden = true;
  document.body.append(form);
  form.submit();
}

// --- what a memory may be a duplicate of ------------------------------------------------------------
function offering(zone) {
  const form = zone.closest("form");
  const list = zone.querySelector("[data-alike-list]");
  form.addEventListener("change", async () => {
    if (list.dataset.asked || !form.querySelector('[value="duplicate"]').checked) return;
    list.dataset.asked = "1";
    try { list.innerHTML = await inside(zone.dataset.alike); } catch { delete list.dataset.asked; }
  });
}

// --- what is bound again whenever the page's inside changes ---------------------------------------
function bind() {
  document.querySelectorAll("[data-search]").forEach((form) => {
    if (form.dataset.bound) return;
    form.dataset.bound = "1";
    form.addEventListener("input", () => searched(form));
  });
  document.querySelectorAll("[data-suggest]").forEach((field) => {
    if (field.dataset.bound) return;
    field.dataset.bound = "1";
    let later = null;
    field.addEventListener("input", () => { clearTimeout(later); later = setTimeout(() => suggested(field), 250); });
  });
  document.querySelectorAll("[data-ask]").forEach((form) => {
    if (form.dataset.bound) return;
    form.dataset.bound = "1";
    asking(form);
  });
  document.querySelectorAll("[data-import]").forEach((zone) => {
    if (zone.dataset.bound) return;
    zone.dataset.bound = "1";
    importing(zone);
  });
  document.querySelectorAll("[data-alike]").forEach((zone) => {
    if (zone.dataset.bound) return;
    zone.dataset.bound = "1";
    offering(zone);
  });
  document.querySelectorAll("[data-drop-text]").forEach((form) => {
    if (form.dataset.bound) return;
    form.dataset.bound = "1";
    droppingText(form);
  });
}

document.querySelectorAll("select[data-submit]").forEach((field) =>
  field.addEventListener("change", () => field.form.submit()));

// --- keyboard: to the search from anywhere --------------------------------------------------------
document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.shiftKey && event.key.toLowerCase() === "m") {
    event.preventDefault();
    document.getElementById("find")?.focus();
  }
});

// --- live: what another process writes appears by itself ------------------------------------------
function busy() {
  const active = document.activeElement;
  const types = active && page?.contains(active) && /^(INPUT|TEXTAREA|SELECT)$/.test(active.tagName);
  const ticked = page?.querySelector('input[type="checkbox"][name="id"]:checked');
  const importing = document.querySelector("[data-stop]:not([hidden]), [data-next]:not([hidden])");
  const talking = page?.querySelector("[data-turn]");
  return Boolean(types && active.value) || Boolean(talking) || Boolean(ticked) || Boolean(importing);
}

if (page && "EventSource" in window) {
  const state = document.querySelector("[data-live-state]");
  const changes = new EventSource("/panel/live");
  changes.addEventListener("ready", () => { if (state) state.hidden = false; });
  let due = null;
  let next = 0; // when the page may be asked for again: what is slow to make is asked for less often
  const refresh = () => {
    due ??= setTimeout(async () => {
      due = null;
      if (busy()) { next = performance.now() + 2000; refresh(); return; }
      const begun = performance.now();
      try { put(await inside(location.pathname + location.search)); } catch { /* the next change */ }
      next = performance.now() + Math.min(20 * (performance.now() - begun), 30000);
      later();
    }, Math.max(0, next - performance.now()));
  };
  const later = () => { // counts of a large space may lag; the page says when they are made again
    const again = page.querySelector("[data-again]");
    if (again) setTimeout(refresh, 1000 * Number(again.dataset.again));
  };
  changes.addEventListener("changed", refresh);
  later();
  changes.addEventListener("error", () => { if (state) state.hidden = true; });
  window.addEventListener("pagehide", () => changes.close());
}

document.querySelector("nav [aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });
bind();
