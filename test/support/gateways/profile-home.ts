import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { TestHome } from '../test-home.ts'

/** The home of a profile in another one; it goes with that one. What a test keeps beside it is its own. */
export function addProfile(root: TestHome, name: string): TestHome {
  const [home, folder] = [join(root.home, 'profiles', name), join(root.folder, `beside-${name}`)]
  mkdirSync(home, { recursive: true, mode: 0o700 })
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(home, '.no-bundled-skills'), '')
  return {
    ...{ folder, home, work: root.work },
    environment: { ...root.environment, AGENT_HOME: home },
    write(file, text) {
      const path = join(home, file)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text)
      return path
    },
    read: (file) => readFileSync(join(home, file), 'utf8'),
    [Symbol.dispose]: () => undefined,
  }
}
