"""Multi-tenancy: a separate store for each tenant, by a template of addresses.

``postgresql://host/{tenant}``, or ``/srv/recollect/{tenant}.db``. Stores are created and dropped
here, by an administrator's command; a mistyped name creates nothing.
"""

import re
from pathlib import Path
from typing import Final

from recollect.storage.database import Database
from recollect.vocabulary.errors import Conflict, InvalidSetting, NotFound, StoreUnavailable

PLACE: Final = "{tenant}"
_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,39}\Z")
_SERVERS: Final = ("postgresql://", "postgres://")


def address_of(template: str, tenant: str) -> str:
    """The address of one tenant's store."""
    if PLACE not in template:
        raise InvalidSetting(
            "The setting db names one store, not one for each tenant.",
            hint="Write {tenant} where the tenant's name belongs: postgresql://host/{tenant}.",
        )
    if not _NAME.match(tenant):
        raise InvalidSetting(
            f"{tenant[:60]!r} is not a valid name of a tenant.",
            hint="It begins with a letter and has small letters, digits and _ only.",
        )
    return template.replace(PLACE, tenant)


def list_tenants(template: str) -> list[str]:
    """The tenants that have a store."""
    address_of(template, "a")
    if template.startswith(_SERVERS):
        from recollect.storage.dialects.postgres import databases

        found = databases.names(address_of(template, "postgres"))
        shape = _shape(databases.name_of(template.replace(PLACE, "\x00")))
    else:
        before = Path(template).expanduser()
        found = [path.name for path in before.parent.glob("*") if path.is_file()]
        shape = _shape(before.name.replace(PLACE, "\x00"))
    return sorted(one[1] for name in found if (one := shape.fullmatch(name)))


def create_tenant(template: str, tenant: str) -> str:
    """Create a tenant's store with the current schema; its address."""
    address = address_of(template, tenant)
    if tenant in list_tenants(template):
        raise Conflict(f"The tenant {tenant!r} has a store already. Nothing was changed.")
    if address.startswith(_SERVERS):
        from recollect.storage.dialects.postgres import databases

        databases.create(address)
    else:
        Path(address).expanduser().parent.mkdir(parents=True, exist_ok=True)
    Database(address).close()
    return address


def drop_tenant(template: str, tenant: str) -> None:
    """Drop a tenant's store with all its data."""
    address = address_of(template, tenant)
    require_tenant(template, tenant)
    if address.startswith(_SERVERS):
        from recollect.storage.dialects.postgres import databases

        databases.drop(address)
        return
    place = Path(address).expanduser()
    for path in (place, *(place.with_name(place.name + end) for end in ("-wal", "-shm"))):
        path.unlink(missing_ok=True)


def require_tenant(template: str, tenant: str) -> None:
    """Raise an error for a tenant without a store."""
    if tenant not in list_tenants(template):
        raise NotFound(
            f"No tenant {tenant!r} has a store here. Nothing was changed.",
            hint=f"'recollect tenant create {tenant}' makes one.",
        )


def require_file(address: str, tenant: str) -> None:
    """Raise an error if a tenant's file does not exist; a server reports that itself."""
    if "://" not in address and not Path(address).expanduser().exists():
        raise StoreUnavailable(
            f"No tenant {tenant!r} has a store here. Nothing was made.",
            hint=f"'recollect tenant create {tenant}' makes one.",
        )


def _shape(name: str) -> re.Pattern[str]:
    """Pattern of store names; the zero character in ``name`` is the place of the tenant."""
    return re.compile(re.escape(name).replace(re.escape("\x00"), "([a-z][a-z0-9_]{0,39})"))
