"""The disk cache: content-addressed bytes, one file per kernel, safe among processes.

    folder.py     where the folder is and whether it can be trusted
    format.py     what a file looks like, and how it is verified
    store.py      reading and atomically writing files
    locks.py      so that only one thread and one process makes what many ask for
    identity.py   what stands for the compiler's own build in a key
    artifacts.py  files for people: dumps of every phase, reproducers

It knows keys and bytes; what they mean is the compiler's business.
"""

from tilewright.cache.folder import Folder, find_folder
from tilewright.cache.format import Entry
from tilewright.cache.locks import KeyedLocks
from tilewright.cache.store import Store, default_store

__all__ = ["Entry", "Folder", "KeyedLocks", "Store", "default_store", "find_folder"]
