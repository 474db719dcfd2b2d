import type { Home } from '#config/home/home.ts'
import { whenTaken } from '#config/takes-effect.ts'
import { findInstance } from '#gateway/instance/instance.ts'
import { askReload, type Reloaded } from '../gateway/reload-gateway.ts'
import type { HomeContext } from '../home-context.ts'

/** A gateway that runs takes changed settings over where it can; where it cannot, that is said. */
export async function takeOverKeys(context: Pick<HomeContext, 'signal'>, home: Home, keys: readonly string[]): Promise<Reloaded> {
  const needsRestart = keys.some((key) => whenTaken(key) === 'restart') && findInstance(home) !== undefined
  const late = needsRestart ? ['The running gateway goes by the old value until agent gateway restart.'] : []
  const taken = keys.filter((key) => whenTaken(key) === 'reload')
  if (taken.length === 0) return { said: late, live: false }
  const hasParts = taken.some((key) => /^(?:platforms|plugins)\b/.test(key))
  const words = hasParts ? {} : { unchanged: 'The running gateway uses it from the next turn on.' }
  const { said, live } = await askReload(context, home, words)
  return { said: [...late, ...said], live: live && taken.length === keys.length }
}
