"""The disk cache: content-addressed, one file per kernel, shared safely between processes.

    folder.py     finds the folder and checks whether it can be trusted
    format.py     the format of a file, and its verification
    store.py      reads files, and writes them atomically
    locks.py      makes one thread of one process compile a key while others wait
    identity.py   identifies the compiler's own build in a key
    artifacts.py  dumps of every phase, and reproducers

The cache handles keys and bytes; the compiler defines their meaning.
"""

from tilewright.cache.folder import Folder, find_folder
from tilewright.cache.format import Entry
from tilewright.cache.locks import KeyedLocks
from tilewright.cache.store import Store, default_store

__all__ = ["Entry", "Folder", "KeyedLocks", "Store", "default_store", "find_folder"]
