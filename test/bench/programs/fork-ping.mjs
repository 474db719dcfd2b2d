// Answers every message over the channel of fork(): the floor for a round trip to another process.
process.on('message', (message) => process.send(message))
