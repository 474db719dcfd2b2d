import { spawn } from 'node:child_process'
import { openEnvironment } from '#config/environment/environment.ts'
import type { Cli } from '../console/cli.ts'

const openers: Readonly<Partial<Record<NodeJS.Platform, string>>> = { darwin: 'open', linux: 'xdg-open' }

/** Shows an address in the browser of a person who sits there. Where that fails, the address has been printed. */
export function openBrowser({ environment, terminal }: Pick<Cli, 'environment' | 'terminal'>, url: string): void {
  const opener = openers[process.platform]
  if (!terminal || opener === undefined) return
  const child = spawn(opener, [url], { stdio: 'ignore', detached: true, env: openEnvironment(environment).forChildren() })
  child.once('error', () => undefined)
  child.unref()
}
