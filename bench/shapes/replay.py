# SPDX-License-Identifier: Apache-2.0
"""What a client needs by itself: a server that computes nothing. It stands before a server of PostgreSQL's protocol, notes each
answer byte by byte the first time a question comes, and sends the same bytes when the same question comes again."""
import socket
import threading

PIECE = 1 << 18


def whole(data):
    """Where the messages end that are complete, and whether the last of them is ReadyForQuery."""
    at, ready = 0, False
    while at + 5 <= len(data):
        size = 1 + int.from_bytes(data[at + 1:at + 5], "big")
        if at + size > len(data):
            break
        ready = data[at] == ord("Z")
        at += size
    return at, ready


class Replay:
    """address: of the server behind; `port` is where clients come."""

    def __init__(self, address):
        self.address, self.answers = address, {}
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        with client, socket.create_connection(self.address) as behind:
            for s in (client, behind):
                s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            client.sendall(self._ask(behind, client.recv(PIECE)))  # the startup message: each client has a session behind
            question = client.recv(PIECE)
            while question:
                if question[:1] != b"X" and question not in self.answers:
                    self.answers[question] = self._ask(behind, question)
                if question[:1] == b"X":
                    return
                client.sendall(self.answers[question])
                question = client.recv(PIECE)

    @staticmethod
    def _ask(behind, question):
        """The answer up to ReadyForQuery. A question comes in one piece: it is short."""
        behind.sendall(question)
        parts, rest, ready = [], b"", False
        while not ready:
            got = behind.recv(PIECE)
            if not got:
                raise OSError("the server behind has gone")
            rest += got
            end, ready = whole(rest)
            parts.append(rest[:end])
            rest = rest[end:]
        return b"".join(parts)
