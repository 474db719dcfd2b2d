import { once } from 'node:events'
import { connect } from 'node:net'

export interface Heard {
  readonly from: string
  readonly target: string
  readonly text: string
  /** Size of the line as it came over the wire, with its end. */
  readonly bytes: number
}

/** Somebody with a plain connection to an IRC server. */
export interface IrcPerson extends AsyncDisposable {
  readonly heard: readonly Heard[]
  /** Everything that the server said. */
  readonly lines: readonly string[]
  /** How often somebody of this nick came into a channel. */
  joins(nick: string): number
  write(line: string): void
  say(target: string, text: string): void
  /** What `from` said, as one text: its lines joined by spaces. */
  text(from: string, target: string): string
  /** Leaves; resolves when the server knows it. */
  gone(): Promise<void>
}

/** Resolves when the person is known to the server and in its channels. */
export async function openIrcPerson(port: number, nick: string, channels: readonly string[] = [], password = ''): Promise<IrcPerson> {
  const socket = connect(port, '127.0.0.1')
  const heard: Heard[] = []
  const joined: string[] = []
  const lines: string[] = []
  let rest = Buffer.alloc(0)
  let settle: () => void = () => undefined
  const settled = new Promise<void>((resolve) => {
    settle = resolve
  })
  const write = (line: string): void => void socket.write(`${line}\r\n`)
  const take = (bytes: Buffer): void => {
    const line = bytes.toString().replace(/\r$/, '')
    lines.push(line)
    if (line.startsWith('PING')) write(line.replace('PING', 'PONG'))
    // Strict servers take nothing else before they have said welcome.
    if (/^:\S+ 001 /.test(line)) for (const next of [...channels.map((channel) => `JOIN ${channel}`), 'PING settled']) write(next)
    if (line.includes(' PONG ') && line.endsWith('settled')) settle()
    const [, from = '', target = '', text = ''] = /^:([^!]+)!\S+ PRIVMSG (\S+) :(.*)$/.exec(line) ?? []
    joined.push(/^:([^!]+)!\S+ JOIN /.exec(line)?.[1] ?? '')
    if (from !== '') heard.push({ from, target, text, bytes: bytes.length + 1 })
  }
  socket.on('error', () => socket.destroy())
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      take(rest.subarray(0, end))
      rest = rest.subarray(end + 1)
    }
  })
  await once(socket, 'connect')
  if (password !== '') write(`PASS ${password}`)
  for (const line of [`NICK ${nick}`, `USER ${nick} 0 * :${nick}`]) write(line)
  await settled
  return {
    heard,
    lines,
    joins: (name) => joined.filter((each) => each === name).length,
    write,
    say: (target, text) => write(`PRIVMSG ${target} :${text}`),
    text: (from, target) =>
      heard
        .filter((one) => one.from === from && one.target === target)
        .map((one) => one.text)
        .join(' '),
    gone: async () => {
      const closed = once(socket, 'close')
      write('QUIT')
      await closed
    },
    [Symbol.asyncDispose]: async () => {
      if (socket.destroyed) return
      const closed = once(socket, 'close')
      socket.destroy()
      await closed
    },
  }
}
