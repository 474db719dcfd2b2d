import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestHome } from '../test-home.ts'

/** What the gateway of a home says of one of its platforms; undefined where it says nothing yet. */
export function readPlatformState(home: TestHome, platform: string): string | undefined {
  const file = join(home.home, 'gateway_state.json')
  if (!existsSync(file)) return undefined
  const { platforms = [] } = JSON.parse(readFileSync(file, 'utf8')) as { platforms?: { platform: string; state: string }[] }
  return platforms.find((one) => one.platform === platform)?.state
}
