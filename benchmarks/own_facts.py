"""What the people of our own evaluation set live through: facts, and the talk around them.

A fact is told in few words by one person, as lines of a chat, and once more as one would tell it to
an assistant. The questions use other words where people would.
"""

from typing import Final, NamedTuple


class Fact(NamedTuple):
    """Something that happened to somebody, and how it is asked for later."""

    who: str
    lines: tuple[str, ...]
    told: str
    asked: str
    asked_self: str
    category: str = "single"


FACTS: Final = (
    Fact(
        "mara",
        ("omg the landlord finally called", "we get the flat on birch street!!"),
        "My landlord just called, I got the apartment on Birch Street.",
        "Where will Mara live?",
        "Which street is my new apartment on?",
    ),
    Fact(
        "jonas",
        ("dentist says the wisdom tooth has to go", "15th of next month, wish me luck"),
        "The dentist wants to pull my wisdom tooth on the 15th of next month.",
        "When does Jonas have his tooth taken out?",
        "When is my tooth being pulled?",
        "temporal",
    ),
    Fact(
        "tariq",
        ("i quit", "told my boss this morning, last day is friday"),
        "I resigned this morning, and Friday is my last day at the firm.",
        "When does Tariq leave his job?",
        "When is my last day at work?",
        "temporal",
    ),
    Fact(
        "mara",
        ("guess who has a nut allergy now", "me. ended up in the er after the cake"),
        "I learned I am allergic to nuts after a cake sent me to the emergency room.",
        "What can Mara not eat?",
        "What food am I allergic to?",
    ),
    Fact(
        "jonas",
        ("sold the old golf today", "got 2300 for it, more than i hoped"),
        "I sold my old VW Golf today for 2300 euros.",
        "How much did Jonas get for his car?",
        "How much money did I get for the car?",
    ),
    Fact(
        "tariq",
        ("my sister had the baby!", "its a girl, they named her noor"),
        "My sister gave birth to a girl and they called her Noor.",
        "What is the name of Tariq's niece?",
        "What is my niece called?",
    ),
    Fact(
        "mara",
        ("started those pottery lessons", "tuesdays with that old guy from the market"),
        "I have started a pottery class on Tuesday evenings.",
        "What hobby did Mara take up?",
        "What class did I sign up for?",
    ),
    Fact(
        "jonas",
        ("ran the half marathon", "1h52, legs are dead"),
        "I finished the half marathon in one hour and fifty two minutes.",
        "How fast did Jonas run?",
        "What was my time in the race?",
    ),
    Fact(
        "tariq",
        ("wallet got stolen on the tram", "cards all blocked, what a day"),
        "Somebody took my wallet on the tram and I had to block all my cards.",
        "What happened to Tariq on public transport?",
        "What was stolen from me?",
    ),
    Fact(
        "mara",
        (
            "adopted the cat from the shelter",
            "he is grey and hides under the sofa, called him pixel",
        ),
        "I brought home a grey cat from the shelter and named him Pixel.",
        "What is Mara's pet called?",
        "What is the name of my pet?",
    ),
    Fact(
        "jonas",
        ("broke my wrist skating", "six weeks in a cast, typing with one hand now"),
        "I broke my wrist while skating and will wear a cast for six weeks.",
        "How was Jonas injured?",
        "How did I hurt myself?",
    ),
    Fact(
        "tariq",
        ("got the visa for canada", "flying to montreal in march"),
        "My Canadian visa came through and I fly to Montreal in March.",
        "Where is Tariq moving or travelling to?",
        "Which city am I flying to?",
    ),
    Fact(
        "mara",
        ("the band is back together lol", "i play bass again, gig at the harbour festival"),
        "My old band plays again, with me on bass, at the harbour festival.",
        "Which instrument does Mara play?",
        "What instrument do I play in the band?",
    ),
    Fact(
        "jonas",
        ("parents are selling the house by the lake", "cant believe it, all those summers"),
        "My parents have decided to sell the lake house.",
        "What are Jonas's parents giving up?",
        "What are my parents selling?",
    ),
    Fact(
        "tariq",
        ("learning swedish with that app", "day 40 streak, jag heter tariq"),
        "I have been learning Swedish with an app for forty days.",
        "Which language does Tariq study?",
        "Which language am I learning?",
    ),
    Fact(
        "mara",
        ("granny turned 90", "whole family in krakow, 40 people"),
        "We celebrated my grandmother's ninetieth birthday in Krakow.",
        "Where was the party for Mara's grandmother?",
        "Where did we celebrate grandma's birthday?",
    ),
    Fact(
        "jonas",
        ("new job starts the 3rd", "data team at the hospital, no more agency"),
        "I start a new job in the data team of a hospital on the third.",
        "Where does Jonas work now?",
        "Who is my new employer?",
    ),
    Fact(
        "tariq",
        ("doctor says blood pressure too high", "no more coffee for me, only that herbal stuff"),
        "Because of my blood pressure the doctor took me off coffee.",
        "Why did Tariq stop drinking coffee?",
        "Why did I give up coffee?",
    ),
    Fact(
        "mara",
        ("so... he asked", "i said yes!! wedding in september, on the island"),
        "He proposed and I said yes; the wedding will be on the island in September.",
        "When is Mara getting married?",
        "In which month is my wedding?",
        "temporal",
    ),
    Fact(
        "jonas",
        ("the washing machine flooded the kitchen", "plumber wants 400 just to look"),
        "The washing machine leaked all over the kitchen and the plumber charges 400.",
        "What broke in Jonas's home?",
        "Which appliance flooded my kitchen?",
    ),
    Fact(
        "tariq",
        ("handed in the thesis", "after 4 years, 212 pages about bees"),
        "I submitted my thesis on bees after four years of work.",
        "What did Tariq write about at university?",
        "What is my thesis about?",
    ),
    Fact(
        "mara",
        ("failed the driving test again", "parallel parking, third time"),
        "I failed my driving test for the third time because of parking.",
        "How often did Mara fail to get her licence?",
        "How many times did I fail the driving test?",
    ),
    Fact(
        "jonas",
        ("we planted 3 apple trees on the allotment", "back is killing me"),
        "We planted three apple trees in the garden plot.",
        "What grows in Jonas's garden?",
        "What did I plant?",
    ),
    Fact(
        "tariq",
        ("phone fell in the lake", "rice did nothing. bought the cheap nokia"),
        "I dropped my phone into the lake and bought a cheap Nokia instead.",
        "Why did Tariq need a new phone?",
        "How did I lose my phone?",
    ),
    Fact(
        "mara",
        ("my painting got picked for the town hall show", "opening on the 9th, come!!"),
        "One of my paintings will hang in the town hall exhibition from the ninth.",
        "Where is Mara's art shown?",
        "Where will my painting be exhibited?",
    ),
    Fact(
        "jonas",
        ("vegetarian since january", "only cheated once, the sausage at the match"),
        "I have not eaten meat since January, apart from one sausage.",
        "What does Jonas not eat any more?",
        "What did I stop eating in January?",
    ),
    Fact(
        "tariq",
        ("uncle left me his old violin", "no idea how to hold it"),
        "My late uncle left me his violin.",
        "What did Tariq inherit?",
        "What did I inherit from my uncle?",
    ),
    Fact(
        "mara",
        ("new glasses", "turns out i couldnt read the board for a year"),
        "I finally got glasses after a year of not seeing the board.",
        "What does Mara need for her eyes?",
        "What did the optician give me?",
    ),
    Fact(
        "jonas",
        (
            "train cancelled, slept at the station in lyon",
            "never again with that airline of trains",
        ),
        "My train was cancelled and I spent the night at Lyon station.",
        "Where did Jonas spend a night on a journey?",
        "In which city did I sleep at the station?",
    ),
    Fact(
        "tariq",
        ("opened the bakery account", "saving 150 a month for the oven"),
        "I put aside 150 every month to buy a baker's oven.",
        "What is Tariq saving money for?",
        "What am I saving up for?",
    ),
    Fact(
        "mara",
        ("boss said no to the raise", "but i get every second friday off"),
        "I did not get a raise, but I have every other Friday free now.",
        "What did Mara get instead of more pay?",
        "What did my boss offer instead of a raise?",
    ),
    Fact(
        "jonas",
        ("found out were neighbours with the mayor", "he borrowed our drill"),
        "It turns out the mayor lives next door; he borrowed our drill.",
        "Who lives next to Jonas?",
        "Who is my neighbour?",
    ),
    Fact(
        "tariq",
        ("swam in the sea on new years day", "4 degrees. screamed like a kid"),
        "I went swimming in the sea on New Year's Day at four degrees.",
        "What did Tariq do on the first of January?",
        "What did I do on New Year's Day?",
        "temporal",
    ),
    Fact(
        "mara",
        ("my bike got nicked outside the library", "the red one with the basket :("),
        "My red bicycle was stolen in front of the library.",
        "What colour was Mara's stolen bicycle?",
        "Where was my bike stolen?",
    ),
    Fact(
        "jonas",
        ("daughter lost her first tooth at school", "swallowed it with the apple"),
        "My daughter lost her first tooth at school.",
        "What happened to Jonas's child at school?",
        "What happened to my daughter at school?",
    ),
    Fact(
        "tariq",
        ("the flat upstairs burned", "we are fine, sleeping at mums till the smell is gone"),
        "There was a fire in the apartment above, so I stay with my mother.",
        "Why is Tariq staying with his mother?",
        "Why am I staying at my mother's place?",
    ),
)

#: Questions whose answer is in several facts, by their places above.
SEVERAL: Final = (
    ("Which sports does everybody do?", "Which sports have I tried?", (7, 10, 32)),
    ("What was stolen from the friends?", "What things were stolen from me?", (8, 33)),
    ("What health problems were there?", "What health problems did I mention?", (3, 10, 17)),
    ("Which musical instruments are mentioned?", "Which instruments came up?", (12, 26)),
    (
        "What did they change about what they eat or drink?",
        "What did I change about what I eat or drink?",
        (3, 17, 25),
    ),
    ("Who has family news?", "What news of my family did I share?", (5, 15, 34)),
)

#: Small talk, in the words of nobody in particular.
CHATTER: Final = (
    "lol",
    "haha yes",
    "ok",
    "no way",
    "same here tbh",
    "brb",
    "where r u",
    "on my way",
    "did you see the match yesterday",
    "this rain never stops",
    "whos in for pizza later",
    "cant today, too much work",
    "what a week",
    "send pics!!",
    "happy for you",
    "oh no :(",
    "you ok?",
    "need coffee",
    "the bus is late again",
    "monday again...",
    "anyone up for a film",
    "i am so tired",
    "that song is stuck in my head",
    "have you read the thing i sent",
    "not yet, tonight maybe",
    "my phone is at 3 percent",
    "let me check",
    "sounds good to me",
    "lets do saturday instead",
    "saturday is bad, sunday?",
    "fine sunday then",
    "who brings the salad",
    "i can bring bread",
    "my neighbour is drilling again",
    "its so cold in the office",
    "the new season is out",
    "spoilers please no",
    "ok ok",
    "did anyone find my umbrella",
    "the blue one? its at my place",
    "thx",
    "see you at 8",
    "make it half past",
    "k",
    "remember that trip to the mountains",
    "best pancakes ever",
    "i still have the photos",
    "we should go again",
    "when tho",
    "after the exams maybe",
    "the printer hates me",
    "it hates all of us",
    "anyone knows a good barber",
    "the one by the station is ok",
    "lunch?",
    "already ate sorry",
    "tomorrow then",
    "the heating is broken at work",
    "bring a blanket haha",
    "i dreamt about a giant pigeon",
    "normal tuesday for you",
    "how was the meeting",
    "boring as always",
    "the cake was good at least",
)

#: What an assistant goes on about, whatever was said; each topic a few long sentences.
ADVICE: Final = (
    "Thank you for telling me about it. There are a few things that people in your place usually"
    " consider: first, write down what matters most to you; second, talk with somebody who has gone"
    " through the same; third, give yourself time before you decide anything that is hard to undo.",
    "That is a good question, and the answer depends on where you live. In many towns there is an"
    " office that helps for free, and a short call often saves weeks of waiting. Keep copies of all"
    " papers, note the names of those you spoke with, and ask for everything in writing.",
    "Here is a simple plan for the week: on Monday collect what you need, on Tuesday and Wednesday"
    " do the part you like least, on Thursday rest, and on Friday look at what is left. Small steps"
    " add up, and it is fine to begin again when a day goes wrong.",
    "When you cook for many people, choose dishes that can wait: a big pot of soup, a tray of"
    " roasted vegetables, bread from the day before. Ask early what everybody can eat, and label"
    " what contains milk, eggs or gluten, so that nobody has to ask twice.",
    "Travelling by train across borders is cheaper when you book early and split the ticket at the"
    " border station. Take a light bag, something to read, and a bottle of water; the connections"
    " are often tight and the platforms far apart.",
    "To sleep better, keep the same hours every day, dim the lights an hour before, and leave the"
    " telephone in another room. If thoughts keep you awake, put them on paper. A short walk in the"
    " morning light helps more than most people expect.",
    "A monthly budget works best with three columns: what is fixed, what varies, and what you put"
    " aside first. Look at the second column every Sunday for ten minutes. After two months you"
    " will know which habits cost you most.",
    "Learning something new is easier when it has a place in the day. Tie it to something you do"
    " anyway, like breakfast or the ride to work, keep a note of each day, and forgive the gaps."
    " After six weeks look back at the first page.",
    "For a small garden, start with what forgives mistakes: herbs, lettuce, beans. Water in the"
    " evening, cover the soil with straw, and leave a corner for insects. In autumn sow what rests"
    " over winter, and in spring you will be ahead of everyone.",
    "Writing to an office is a matter of form: one page, a clear subject, the number of your file,"
    " what you ask for in the first sentence, and the reasons after it. Stay polite, name a date by"
    " which you hope for an answer, and send it so that you can prove it arrived.",
)

#: What users of an assistant ask besides.
ERRANDS: Final = (
    "Can you suggest a soup for six people?",
    "How do I write a letter to the city office?",
    "What should I pack for a week by train?",
    "Explain how a heat pump works.",
    "Give me ideas for a quiet weekend.",
    "How can I fall asleep faster?",
    "Help me plan my week.",
    "What is the difference between a lease and a rental agreement?",
    "Rewrite this mail so that it sounds friendlier.",
    "Which herbs grow on a north window?",
    "How do I keep a budget?",
    "Recommend three films for a rainy evening.",
    "What does the word serendipity mean?",
    "How do I get a stain out of wool?",
)
