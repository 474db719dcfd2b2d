import { createServer, type Socket } from 'node:net'
import { listen } from './listen.ts'

/** What goes wrong with the next letter. */
export type SmtpFault =
  /** It is taken, and the connection breaks before the answer. */
  | { readonly type: 'lose-answer' }
  /** The connection breaks at this command, before anything is taken. */
  | { readonly type: 'drop'; readonly at: 'MAIL' | 'RCPT' }
  /** The command is answered with this line. */
  | { readonly type: 'refuse'; readonly at: 'MAIL' | 'RCPT' | 'DATA' | 'END'; readonly line: string }

export interface TakenLetter {
  readonly from: string
  readonly to: string
  readonly source: string
}

/** A server that takes mail, in small, for what real servers do not do on demand. */
export interface SmtpServer extends AsyncDisposable {
  readonly port: number
  readonly taken: readonly TakenLetter[]
  /** Passwords that came. */
  readonly passwords: readonly string[]
  /** The line with which logins are refused. */
  refuseLogin(line: string): void
  breakNext(...faults: readonly SmtpFault[]): void
  /** Nothing goes wrong any more. */
  mend(): void
}

interface World {
  readonly password: string
  readonly onTaken: (letter: TakenLetter) => void
  readonly taken: TakenLetter[]
  readonly passwords: string[]
  readonly faults: SmtpFault[]
  refusal: string | undefined
}

/** `onTaken` gets every letter that was taken. */
export async function openSmtpServer(password: string, onTaken: (letter: TakenLetter) => void = () => undefined): Promise<SmtpServer> {
  const world: World = { password, onTaken, taken: [], passwords: [], faults: [], refusal: undefined }
  const { port, close } = await listen(createServer((socket) => serve(world, socket)))
  return {
    port,
    taken: world.taken,
    passwords: world.passwords,
    refuseLogin: (line) => {
      world.refusal = line
    },
    breakNext: (...faults) => void world.faults.push(...faults),
    mend: () => {
      world.faults.length = 0
    },
    [Symbol.asyncDispose]: close,
  }
}

function serve(world: World, socket: Socket): void {
  const write = (line: string): void => void socket.write(`${line}\r\n`)
  let rest = ''
  let from = ''
  let to = ''
  let inData = false
  const take = (source: string): void => {
    const fault = faultAt(world, 'END')
    if (fault?.type === 'refuse') return void write(fault.line)
    const letter = { from, to, source: source.replace(/^\.\./gm, '.') }
    world.taken.push(letter)
    world.onTaken(letter)
    if (fault) socket.destroy()
    else write('250 2.0.0 taken')
  }
  const replies: Readonly<Record<string, (line: string) => void>> = {
    EHLO: () => write('250-mail.test\r\n250-SIZE 20000000\r\n250 AUTH PLAIN'),
    AUTH: (line) => logIn(world, line, write),
    MAIL: (line) => {
      from = readPath(line)
      write('250 fine')
    },
    RCPT: (line) => {
      to = readPath(line)
      write('250 fine')
    },
    DATA: () => {
      inData = true
      write('354 go on')
    },
    QUIT: () => void socket.end('221 bye\r\n'),
  }
  const answer = (line: string): void => {
    const verb = line.slice(0, 4).toUpperCase()
    const fault = faultAt(world, verb)
    if (fault?.type === 'drop') socket.destroy()
    else if (fault?.type === 'refuse') write(fault.line)
    else if (replies[verb]) replies[verb](line)
    else write('500 unknown command')
  }
  write('220 mail.test ESMTP')
  socket.on('data', (chunk: Buffer) => {
    rest += chunk.toString('latin1')
    for (;;) {
      const end = rest.indexOf(inData ? '\r\n.\r\n' : '\r\n')
      if (end < 0) return
      const text = rest.slice(0, end)
      rest = rest.slice(end + (inData ? 5 : 2))
      if (!inData) answer(text)
      else {
        inData = false
        take(`${text}\r\n`)
      }
    }
  })
}

const readPath = (line: string): string => /<([^>]*)>/.exec(line)?.[1] ?? ''

function faultAt({ faults }: World, place: string): SmtpFault | undefined {
  const at = faults[0]?.type === 'lose-answer' ? 'END' : faults[0]?.at
  return at === place ? faults.shift() : undefined
}

function logIn({ password, passwords, refusal }: World, line: string, write: (line: string) => void): void {
  const given =
    Buffer.from(line.split(' ')[2] ?? '', 'base64')
      .toString()
      .split('\0')[2] ?? ''
  passwords.push(given)
  if (refusal !== undefined) write(refusal)
  else write(given === password ? '235 2.7.0 welcome' : '535 5.7.8 wrong')
}
