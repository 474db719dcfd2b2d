import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'

/** As much of an IRC server as a client needs to be welcome: it greets, lets everybody join and answers pings. */
export async function startLineServer(): Promise<AsyncDisposable & { readonly port: number }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    let nick = '*'
    const answers: Readonly<Record<string, (argument: string) => string>> = {
      NICK: (name) => {
        nick = name
        return ''
      },
      USER: () => `:bench 001 ${nick} :Welcome\r\n:bench 376 ${nick} :End\r\n`,
      JOIN: (channel) => `:${nick}!u@h JOIN ${channel}\r\n:bench 366 ${nick} ${channel} :End\r\n`,
      PING: (word) => `:bench PONG bench ${word}\r\n`,
    }
    socket.on('error', () => socket.destroy())
    socket.once('close', () => sockets.delete(socket))
    createInterface({ input: socket }).on('line', (line) => {
      const [verb = '', argument = ''] = line.split(' ')
      socket.write(answers[verb]?.(argument) ?? '')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' ? (address?.port ?? 0) : 0,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
