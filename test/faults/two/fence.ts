import { existsSync } from 'node:fs'
import { waitUntil } from '../../support/servers/wait-until.ts'
import type { TestHome } from '../../support/test-home.ts'

const fenced = /belongs to another process now/g
const withinMs = 10_000

/** How often a gateway of this home was told that what it worked on belongs to another one. */
export function countFenced(home: TestHome): number {
  return existsSync(`${home.home}/logs/gateway.log`) ? (home.read('logs/gateway.log').match(fenced)?.length ?? 0) : 0
}

/** Waits until it was told so at least so often; answers what was wrong with that. */
export function waitForFence(home: TestHome, times: number): Promise<readonly string[]> {
  return waitUntil('a gateway that came back was fenced off', withinMs, () => countFenced(home) >= times).then(
    () => [],
    () => ['A gateway that came back was not told that its work belongs to another one.'],
  )
}
