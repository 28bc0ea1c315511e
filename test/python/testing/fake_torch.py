"""A PyTorch whose CUDA device has a clock that only calls and flushes of its cache advance."""

from __future__ import annotations

import types
from collections.abc import Iterator
from contextlib import contextmanager

FLUSH = 50


class Device:
    """A device on which each call takes some time; the queue is a list of its operations."""

    def __init__(self):
        self.now = 0.0
        self.queue = []
        self.initialized = True
        self.available = True
        self.captured = None  # the graph that is being captured
        self.streams = 0

    def add(self, name, milliseconds):
        """Runs an operation, or adds it to the graph that is being captured."""
        if self.captured is not None:
            self.captured.append((name, milliseconds))
        else:
            self.queue.append(name)
            self.now += milliseconds

    def run(self, milliseconds):
        return lambda: self.add("call", milliseconds)

    def torch(self):
        device = self

        class Event:
            def __init__(self, enable_timing):
                assert enable_timing

            def record(self):
                device.queue.append("event")
                self.time = device.now

            def elapsed_time(self, end):
                assert device.queue[-1] == "synchronize"
                return end.time - self.time

        class CUDAGraph:
            def __init__(self):
                self.operations = []

            def replay(self):
                for operation in self.operations:
                    device.add(*operation)

        @contextmanager
        def graph(made: CUDAGraph) -> Iterator[None]:
            assert device.streams == 1, "the default stream can't capture"
            device.captured = made.operations
            try:
                yield
            finally:
                device.captured = None

        @contextmanager
        def stream(_: object) -> Iterator[None]:
            device.streams += 1
            try:
                yield
            finally:
                device.streams -= 1

        def synchronize():
            if device.captured is not None:
                raise RuntimeError("operation not permitted when stream is capturing")
            device.queue.append("synchronize")

        cuda = types.SimpleNamespace(
            Event=Event,
            CUDAGraph=CUDAGraph,
            Stream=object,
            graph=graph,
            stream=stream,
            synchronize=synchronize,
            is_initialized=lambda: device.initialized,
            is_available=lambda: device.available,
        )
        buffer = types.SimpleNamespace(zero_=lambda: device.add("flush", FLUSH))
        return types.SimpleNamespace(cuda=cuda, int8="int8", empty=lambda *a, **k: buffer)
