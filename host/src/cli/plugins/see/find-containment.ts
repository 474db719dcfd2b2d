import type { Listed } from '#kernel/catalog/catalog.ts'
import { systemClock } from '#kernel/clock.ts'
import { describeContainment } from '#kernel/isolation/describe-containment.ts'
import type { IsolationSettings } from '#kernel/isolation/permission-set.ts'
import { createSandbox } from '#kernel/sandbox/sandbox.ts'
import { hasCode } from '#rpc/plugins/describe-plugin.ts'

/** What holds a plugin on this machine; nothing where it runs in the agent itself, or has no code. */
export async function findContainment({ isolation, installed }: Listed, settings: IsolationSettings): Promise<string | undefined> {
  if (isolation === undefined || isolation === 'inproc' || !installed || !hasCode(installed)) return undefined
  const level = await createSandbox({ clock: systemClock }).level()
  return describeContainment(level, isolation === 'process' ? { sandbox: 'off' } : settings)
}
