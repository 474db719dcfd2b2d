import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createServer as createTlsServer, type TLSSocket } from 'node:tls'
import { foldCase, lineBytes, parseLine } from '../src/wire.ts'

/** A small server that speaks the protocol and refuses what a server refuses. */
export interface IrcServer {
  readonly port: number
  /** Every line that came in, in order. */
  readonly lines: readonly string[]
  /** What people got to read of those who are connected: the whole line, cut where a server cuts. */
  readonly relayed: readonly string[]
  /** Somebody who is not connected says something. */
  say(from: string, target: string, text: string): void
  /** Sends bytes to everybody as they are. */
  raw(bytes: string | Uint8Array): void
  /** Somebody gives up a nick. */
  free(nick: string): void
  /** Answers no PING from now on. */
  mute(): void
  /** Breaks every connection. */
  cut(): void
  close(): Promise<void>
}

export interface IrcServerOptions {
  /** Who presents another one is turned away; with `silence` nobody answers. */
  readonly password?: string
  /** Nicks that somebody else has. */
  readonly taken?: readonly string[]
  /** Channels that let nobody in. */
  readonly closed?: readonly string[]
  readonly longestNick?: number
  /** The account that may log in by SASL. Absent: nobody may, as on ngIRCd. `old`: not even what a server offers can be asked for. */
  readonly sasl?: { readonly user: string; readonly password: string } | 'old'
  /** Speaks TLS with this certificate, and lets those in by SASL whose certificate has the fingerprint (SHA-256). */
  readonly tls?: { readonly pem: string; readonly fingerprint?: string }
  /** So many lines ahead of one a second a person is thrown out, as InspIRCd does without fake lag; 20 unless told. */
  readonly threshold?: number
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

interface Person {
  readonly socket: Socket
  password: string
  nick: string
  user: string
  /** What it offers is being asked for, and the welcome waits. */
  negotiating: boolean
  /** Credentials so far; undefined where none are expected. */
  credentials: string | undefined
  readonly channels: Set<string>
  /** Until when its lines are paid for, in milliseconds since 1970. */
  paidUntil: number
}

const name = 'irc.test'
const isRegistered = ({ nick, user, negotiating }: Person): boolean => nick !== '' && user !== '' && !negotiating
const maskOf = ({ nick, user }: Person): string => `${nick}!~${user}@127.0.0.1`

export async function openIrcServer(options: IrcServerOptions = {}): Promise<IrcServer> {
  const people = new Set<Person>()
  const lines: string[] = []
  const relayed: string[] = []
  const world: World = { options, people, relayed, taken: new Set(options.taken?.map(foldCase)), muted: false }
  const onConnect = (socket: Socket): void => {
    const about = { password: '', nick: '', user: '', negotiating: false, credentials: undefined }
    const person: Person = { ...about, socket, channels: new Set(), paidUntil: 0 }
    people.add(person)
    let rest = ''
    socket.on('error', () => socket.destroy()).on('close', () => people.delete(person))
    socket.setEncoding('utf8').on('data', (text: string) => {
      const parts = (rest + text).split('\r\n')
      rest = parts.pop() ?? ''
      for (const line of parts) {
        if (isFlood(options, person)) return void socket.end(`ERROR :Closing link: (${person.nick}) [Excess Flood]\r\n`)
        lines.push(line)
        take(world, person, line)
      }
    })
  }
  const { pem = '' } = options.tls ?? {}
  const server = options.tls
    ? createTlsServer({ cert: pem, key: pem, requestCert: true, rejectUnauthorized: false }, onConnect)
    : createServer(onConnect)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const raw = (bytes: string | Uint8Array): void => {
    for (const { socket } of people) socket.write(bytes)
  }
  const cut = (): void => {
    for (const { socket } of people) socket.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    lines,
    relayed,
    raw,
    cut,
    say: (from, target, text) => raw(`:${from}!~${from}@127.0.0.1 PRIVMSG ${target} :${text}\r\n`),
    free: (nick) => void world.taken.delete(foldCase(nick)),
    mute: () => {
      world.muted = true
    },
    close: async () => {
      cut()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function isFlood({ threshold = 20, now = Date.now }: IrcServerOptions, person: Person): boolean {
  person.paidUntil = Math.max(person.paidUntil, now()) + 1000
  return person.paidUntil - now() > threshold * 1000
}

interface World {
  readonly options: IrcServerOptions
  readonly people: ReadonlySet<Person>
  readonly relayed: string[]
  readonly taken: Set<string>
  muted: boolean
}

type Command = (world: World, person: Person, params: readonly string[]) => void

const commands: Readonly<Record<string, Command>> = {
  PASS: (_world, person, [password = '']) => {
    person.password = password
  },
  NICK: takeNick,
  USER: (world, person, [user = '']) => {
    person.user = user
    welcome(world, person)
  },
  CAP: negotiate,
  AUTHENTICATE: logIn,
  PING: ({ muted }, person, [key = '']) => {
    if (!muted) person.socket.write(`:${name} PONG ${name} :${key}\r\n`)
  },
  PONG: () => undefined,
  JOIN: ({ options }, person, [channel = '']) => {
    if (!channel.startsWith('#')) return answer(person, '403', channel, 'No such channel')
    if (options.closed?.includes(channel)) return answer(person, '474', channel, 'Cannot join channel (+b)')
    person.channels.add(foldCase(channel))
    person.socket.write(`:${maskOf(person)} JOIN ${channel}\r\n`)
    answer(person, '366', channel, 'End of NAMES list')
  },
  PRIVMSG: (world, person, [target = '', text = '']) => {
    if (text === '') return answer(person, '412', 'No text to send')
    if (target.startsWith('#') && !person.channels.has(foldCase(target))) return answer(person, '404', target, 'Cannot send to channel')
    if (target === 'nobody') return answer(person, '401', target, 'No such nick or channel name')
    const line = Buffer.from(`:${maskOf(person)} PRIVMSG ${target} :${text}`)
    world.relayed.push(line.subarray(0, lineBytes - 2).toString())
  },
  QUIT: (_world, { socket }) => void socket.end('ERROR :Closing connection\r\n'),
}

const beforeWelcome = new Set(['CAP', 'AUTHENTICATE', 'PASS', 'NICK', 'USER', 'PING', 'PONG', 'QUIT'])

function take(world: World, person: Person, text: string): void {
  const line = parseLine(text)
  if (!line || person.password === 'silence') return
  const command = Object.hasOwn(commands, line.command) ? commands[line.command] : undefined
  if (Buffer.byteLength(text) > lineBytes - 2) answer(person, '417', 'Input line was too long')
  else if (!isRegistered(person) && !beforeWelcome.has(line.command)) answer(person, '451', 'Connection not registered')
  else if (!command) answer(person, '421', line.command, 'Unknown command')
  else command(world, person, line.params)
}

function answer(person: Person, code: string, ...params: readonly string[]): void {
  const last = params.at(-1) ?? ''
  person.socket.write(`:${name} ${[code, person.nick || '*', ...params.slice(0, -1), `:${last}`].join(' ')}\r\n`)
}

/** https://ircv3.net/specs/extensions/capability-negotiation */
function negotiate(world: World, person: Person, [step = '', wanted = '']: readonly string[]): void {
  const { sasl, tls } = world.options
  const say = (words: string): void => void person.socket.write(`:${name} CAP ${person.nick || '*'} ${words}\r\n`)
  if (sasl === 'old') answer(person, '421', 'CAP', 'Unknown command')
  else if (step === 'REQ') say(`${(sasl || tls?.fingerprint) && wanted === 'sasl' ? 'ACK' : 'NAK'} :${wanted}`)
  else if (step === 'LS') {
    person.negotiating = true
    say('LS * :multi-prefix')
    say(sasl || tls?.fingerprint ? 'LS :sasl=EXTERNAL,PLAIN' : 'LS :away-notify')
  } else if (step === 'END') {
    person.negotiating = false
    welcome(world, person)
  }
}

/** https://ircv3.net/specs/extensions/sasl-3.1 */
function logIn({ options: { sasl, tls } }: World, person: Person, [piece = '']: readonly string[]): void {
  if (tls?.fingerprint) judgeCertificate(person, tls.fingerprint, piece)
  else if (typeof sasl !== 'object') answer(person, '421', 'AUTHENTICATE', 'Unknown command')
  else if (piece.length > 400) answer(person, '905', 'SASL message too long')
  else if (person.credentials !== undefined) {
    person.credentials += piece === '+' ? '' : piece
    if (piece.length < 400) judge(person, sasl)
  } else if (piece === 'PLAIN') {
    person.credentials = ''
    person.socket.write('AUTHENTICATE +\r\n')
  } else answer(person, '904', 'SASL authentication failed')
}

/** First the name of the way, then a sign that the account is the certificate's. */
function judgeCertificate(person: Person, fingerprint: string, piece: string): void {
  if (piece === 'EXTERNAL') person.socket.write('AUTHENTICATE +\r\n')
  else if (piece === '+' && (person.socket as TLSSocket).getPeerCertificate().fingerprint256 === fingerprint)
    answer(person, '903', 'SASL authentication successful')
  else answer(person, '904', 'SASL authentication failed')
}

function judge(person: Person, { user, password }: { readonly user: string; readonly password: string }): void {
  const [, ...given] = Buffer.from(person.credentials ?? '', 'base64')
    .toString()
    .split('\0')
  person.credentials = undefined
  if (given[0] === user && given[1] === password) {
    answer(person, '900', maskOf(person), user, `You are now logged in as ${user}`)
    answer(person, '903', 'SASL authentication successful')
  } else answer(person, '904', 'SASL authentication failed')
}

function takeNick(world: World, person: Person, [nick = '']: readonly string[]): void {
  const wellFormed = /^[a-z[\]\\`_^{|}][\w[\]\\`^{|}-]*$/i.test(nick) && nick.length <= (world.options.longestNick ?? 30)
  const others = [...world.people].filter((other) => other !== person).map((other) => foldCase(other.nick))
  if (!wellFormed) answer(person, '432', nick, 'Erroneous nickname')
  else if (world.taken.has(foldCase(nick)) || others.includes(foldCase(nick))) answer(person, '433', nick, 'Nickname already in use')
  else giveNick(world, person, nick)
}

function giveNick(world: World, person: Person, nick: string): void {
  const before = isRegistered(person)
  if (before) person.socket.write(`:${maskOf(person)} NICK :${nick}\r\n`)
  person.nick = nick
  if (!before) welcome(world, person)
}

function welcome({ options: { password } }: World, person: Person): void {
  if (!isRegistered(person)) return
  if (password === undefined || person.password === password) {
    answer(person, '001', `Welcome to the Internet Relay Network ${maskOf(person)}`)
  } else {
    answer(person, '464', 'Password incorrect')
    person.socket.end('ERROR :Bad password\r\n')
  }
}
