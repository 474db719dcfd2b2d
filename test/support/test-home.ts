import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** `agent` is on the PATH of a test, as it is where somebody has set it up. */
const path = fileURLToPath(new URL('path', import.meta.url))

/** A home and a working folder of a test's own; nothing of the real one is read or written. */
export interface TestHome extends Disposable {
  /** Holds everything below; also `HOME` of what is started. */
  readonly folder: string
  /** `AGENT_HOME`. */
  readonly home: string
  /** Where programs are started. */
  readonly work: string
  readonly environment: Readonly<Record<string, string>>
  /** Writes a file of the home. */
  write(name: string, text: string): string
  /** Reads a file of the home. */
  read(name: string): string
}

export function openTestHome(parent = tmpdir()): TestHome {
  const folder = mkdtempSync(join(parent, 'home-of-agent-'))
  const [home, work] = [join(folder, 'home'), join(folder, 'work')]
  mkdirSync(home, { mode: 0o700 })
  // Skills that come with the program have a test for themselves.
  writeFileSync(join(home, '.no-bundled-skills'), '')
  mkdirSync(work)
  return {
    folder,
    home,
    work,
    environment: {
      PATH: [path, process.env.PATH ?? '/usr/bin:/bin'].join(delimiter),
      LANG: 'C.UTF-8',
      HOME: folder,
      AGENT_HOME: home,
      AGENT_NATIVE_CACHE: process.env.AGENT_NATIVE_CACHE ?? join(homedir(), '.cache', 'agent', 'native'),
      API_SERVER_PORT: '0',
    },
    write(name, text) {
      const file = join(home, name)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text)
      return file
    },
    read: (name) => readFileSync(join(home, name), 'utf8'),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }),
  }
}
