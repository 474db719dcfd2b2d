import { createServer, type Socket } from 'node:net'
import { listen } from './listen.ts'
import { describeHead, describeStructure, findPart, type Letter } from './mime.ts'

/** What goes wrong in a mailbox. */
export interface ImapFaults {
  /** The text with which the next logins are refused. */
  refuseLogin?: string | undefined
  /** Takes the connection and says nothing. */
  isSilent?: boolean
  /** Connections stay open and carry nothing more. */
  isMute?: boolean
  /** What the server can do, in its own words. */
  capabilities?: string
  /** Text of the NO with which the next fetch of heads is answered. */
  refuseFetch?: string | undefined
}

/** A mailbox server in small, for what real servers do not do on demand. It knows the commands that are used here. */
export interface ImapServer extends AsyncDisposable {
  readonly port: number
  /** Commands as they came, without tags. */
  readonly commands: readonly string[]
  readonly faults: ImapFaults
  /** Puts a message into a mailbox and tells the clients that idle there. */
  append(mailbox: string, source: string | Uint8Array): void
  /** Renumbers a mailbox. */
  renumber(mailbox: string): void
  cut(): void
}

interface Mailbox {
  validity: number
  next: number
  letters: Letter[]
}

interface Session {
  readonly socket: Socket
  user: boolean
  selected: string | undefined
  idleTag: string | undefined
  /** How many messages the client knows of. */
  told: number
}

interface World {
  readonly password: string
  readonly faults: ImapFaults
  readonly mailboxes: Map<string, Mailbox>
  readonly sessions: Set<Session>
}

const usual = 'IMAP4rev1 IDLE'

export async function openImapServer(password: string): Promise<ImapServer> {
  const world: World = { password, faults: {}, mailboxes: new Map(), sessions: new Set() }
  const commands: string[] = []
  for (const name of ['INBOX', 'Sent']) world.mailboxes.set(name, { validity: 7, next: 1, letters: [] })
  const server = createServer((socket) => {
    const session: Session = { socket, user: false, selected: undefined, idleTag: undefined, told: 0 }
    world.sessions.add(session)
    socket.on('close', () => world.sessions.delete(session))
    serve(world, session, commands)
  })
  const { port, cut, close } = await listen(server)
  return {
    port,
    commands,
    faults: world.faults,
    append: (name, source) => {
      const mailbox = world.mailboxes.get(name)
      if (!mailbox) throw new Error(`There is no mailbox ${name}.`)
      mailbox.letters.push({ uid: mailbox.next, source: Buffer.from(source) })
      mailbox.next += 1
      for (const session of world.sessions) if (session.idleTag !== undefined && !world.faults.isMute) tellNews(world, session)
    },
    renumber: (name) => {
      const mailbox = world.mailboxes.get(name)
      if (mailbox) mailbox.validity += 1
    },
    cut,
    [Symbol.asyncDispose]: close,
  }
}

function serve(world: World, session: Session, commands: string[]): void {
  const { socket } = session
  if (world.faults.isSilent || world.faults.isMute) return
  write(session, `* OK [CAPABILITY ${world.faults.capabilities ?? usual}] ready`)
  let rest = ''
  socket.on('data', (chunk: Buffer) => {
    rest += chunk.toString('latin1')
    for (let end = rest.indexOf('\r\n'); end >= 0; end = rest.indexOf('\r\n')) {
      const line = rest.slice(0, end)
      rest = rest.slice(end + 2)
      if (world.faults.isMute) continue
      commands.push(line.replace(/^\S+ /, ''))
      answer(world, session, line)
    }
  })
}

const write = ({ socket }: Session, ...lines: readonly string[]): void => {
  socket.write(Buffer.from(lines.map((line) => `${line}\r\n`).join(''), 'latin1'))
}

function tellNews(world: World, session: Session): void {
  const count = world.mailboxes.get(session.selected ?? '')?.letters.length ?? 0
  if (count !== session.told) write(session, `* ${count} EXISTS`)
  session.told = count
}

function answer(world: World, session: Session, line: string): void {
  if (line === 'DONE') {
    write(session, `${session.idleTag} OK done`)
    session.idleTag = undefined
    return
  }
  const [, tag = '*', command = '', rest = ''] = /^(\S+) (UID \S+|\S+) ?(.*)$/.exec(line) ?? []
  const name = command.toUpperCase()
  if (!session.user && !['CAPABILITY', 'LOGIN', 'LOGOUT', 'NOOP', 'ID'].includes(name))
    return void write(session, `${tag} BAD log in first`)
  const act = actions[name]
  if (!act) return void write(session, `${tag} BAD unknown command`)
  act(world, session, tag, rest)
}

type Action = (world: World, session: Session, tag: string, rest: string) => void

const actions: Readonly<Record<string, Action>> = {
  CAPABILITY: ({ faults }, session, tag) => write(session, `* CAPABILITY ${faults.capabilities ?? usual}`, `${tag} OK done`),
  NOOP: (world, session, tag) => {
    tellNews(world, session)
    write(session, `${tag} OK done`)
  },
  LOGIN: ({ faults, password }, session, tag, rest) => {
    const right = rest.endsWith(` "${password}"`) || rest.endsWith(` ${password}`)
    session.user = right && faults.refuseLogin === undefined
    write(session, session.user ? `${tag} OK welcome` : `${tag} NO ${faults.refuseLogin ?? '[AUTHENTICATIONFAILED] wrong'}`)
  },
  LOGOUT: (_, session, tag) => {
    write(session, '* BYE bye', `${tag} OK done`)
    session.socket.end()
  },
  NAMESPACE: (_, session, tag) => write(session, '* NAMESPACE (("" "/")) NIL NIL', `${tag} OK done`),
  LIST: ({ mailboxes }, session, tag, rest) => {
    const wanted = unquote(rest.split(' ').at(-1) ?? '')
    const names = [...mailboxes.keys()].filter((name) => wanted === '*' || wanted === name)
    const lines = names.map((name) => `* LIST (${name === 'Sent' ? '\\Sent' : '\\HasNoChildren'}) "/" "${name}"`)
    write(session, ...(wanted === '' ? ['* LIST (\\Noselect) "/" ""'] : lines), `${tag} OK done`)
  },
  LSUB: (_, session, tag) => write(session, `${tag} OK done`),
  SELECT: select,
  EXAMINE: select,
  IDLE: (world, session, tag) => {
    session.idleTag = tag
    write(session, '+ idling')
    tellNews(world, session)
  },
  'UID SEARCH': (world, session, tag, rest) => {
    const wanted = /HEADER "?MESSAGE-ID"? (\S+)/i.exec(rest)?.[1]
    const letters = world.mailboxes.get(session.selected ?? '')?.letters ?? []
    const hits = letters.filter(({ source }) => wanted !== undefined && source.toString('latin1').includes(unquote(wanted)))
    write(session, `* SEARCH ${hits.map(({ uid }) => uid).join(' ')}`, `${tag} OK done`)
  },
  'UID FETCH': fetchLetters,
}

const unquote = (text: string): string => text.replace(/^"(.*)"$/, '$1')

function select(world: World, session: Session, tag: string, rest: string): void {
  const name = unquote(rest)
  const mailbox = world.mailboxes.get(name)
  if (!mailbox) return void write(session, `${tag} NO there is no such mailbox`)
  session.selected = name
  session.told = mailbox.letters.length
  write(
    session,
    '* FLAGS (\\Seen)',
    `* ${mailbox.letters.length} EXISTS`,
    `* OK [UIDVALIDITY ${mailbox.validity}] numbered`,
    `* OK [UIDNEXT ${mailbox.next}] next`,
    `${tag} OK [READ-ONLY] done`,
  )
}

function fetchLetters(world: World, session: Session, tag: string, rest: string): void {
  const letters = world.mailboxes.get(session.selected ?? '')?.letters ?? []
  const [, from = '', , to = from, wanted = ''] = /^(\d+)(:(\S+))? (.*)$/.exec(rest) ?? []
  const { faults } = world
  if (faults.refuseFetch !== undefined && wanted.includes('BODYSTRUCTURE')) {
    write(session, `${tag} NO ${faults.refuseFetch}`)
    faults.refuseFetch = undefined
    return
  }
  const newest = letters.at(-1)?.uid ?? 0
  const ends = [Number(from), to === '*' ? newest : Number(to)]
  letters.forEach((letter, index) => {
    if (letter.uid < Math.min(...ends) || letter.uid > Math.max(...ends)) return
    write(session, `* ${index + 1} FETCH (${[`UID ${letter.uid}`, ...describeItems(letter, wanted)].join(' ')})`)
  })
  write(session, `${tag} OK done`)
}

function describeItems(letter: Letter, wanted: string): readonly string[] {
  const literal = (name: string, bytes: Buffer): string => `${name} {${bytes.length}}\r\n${bytes.toString('latin1')}`
  const items: string[] = []
  if (wanted.includes('RFC822.SIZE')) items.push(`RFC822.SIZE ${letter.source.length}`)
  if (wanted.includes('BODYSTRUCTURE')) items.push(`BODYSTRUCTURE ${describeStructure(letter.source)}`)
  for (const [, section = '', start, length] of wanted.matchAll(/BODY\.PEEK\[([^\]]*)\](?:<(\d+)\.(\d+)>)?/g)) {
    const whole = section === 'HEADER' ? describeHead(letter.source) : findPart(letter.source, section)
    const bytes = start === undefined ? whole : whole.subarray(Number(start), Number(start) + Number(length))
    items.push(literal(start === undefined ? `BODY[${section}]` : `BODY[${section}]<${start}>`, bytes))
  }
  return items
}
