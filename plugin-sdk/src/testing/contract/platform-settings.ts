import { finalCodes, toWireError } from '../../contract/errors.ts'
import { findErrorProblem } from './errors/error-problem.ts'
import { declaration } from './platform-stage.ts'
import type { PlatformStage, PlatformWorld } from './platform-world.ts'
import type { SetUp } from './stage.ts'

/** Variables as somebody may write them who has not read the guide: one at a time is missing, or holds what it cannot hold. */
export async function checkSettings(stage: PlatformStage, world: PlatformWorld): Promise<void> {
  const { env } = declaration(stage)
  const { config, secrets = {}, onListen } = world
  const setUp = { config, ...(onListen ? { onListen } : {}) }
  for (const { name, value, required } of stage.subject.manifest.env.filter((one) => env.includes(one.name))) {
    const { [name]: _, ...others } = secrets
    if (required) await tryOnce(stage, { ...setUp, secrets: others }, { what: `without ${name}`, isFinal: true })
    const wrong = { ...setUp, secrets: { ...secrets, [name]: 'not like this' } }
    // An address that cannot be read and one where nobody answers are told in the same way by some.
    if (value !== undefined) await tryOnce(stage, wrong, { what: `with a wrong ${name}`, isFinal: value !== 'address' })
  }
}

/** Longer attempts are given up: they have not looked at the variable, or found it right. */
const longestMs = 500

interface Attempt {
  readonly what: string
  readonly isFinal: boolean
}

/** Connecting may succeed, since not every plugin reads every variable; where it fails, an author has to say why. */
async function tryOnce(stage: PlatformStage, setUp: SetUp, { what, isFinal }: Attempt): Promise<void> {
  const controller = new AbortController()
  const limit = setTimeout(() => controller.abort(), longestMs)
  const call = stage.call(controller.signal)
  const connecting = stage.plugin.entry.connect(stage.host(setUp).context, call).then(
    (connection) => ({ connection }),
    (error: unknown) => ({ error: toWireError(error) }),
  )
  const outcome = await stage.within(connecting, `connect ${what}`)
  clearTimeout(limit)
  if ('connection' in outcome) return await stage.within(outcome.connection.close(stage.call()), 'close')
  if (controller.signal.aborted) return
  const problem = findErrorProblem(outcome.error)
  stage.expect(problem === undefined, `the error of connect ${what} ${problem}`)
  const { code } = outcome.error
  stage.expect(!isFinal || finalCodes.has(code), `connect ${what} fails with ${code}, and is tried for ever`)
}
