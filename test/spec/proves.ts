import { type TestContext, test } from 'vitest'
import { type RequirementId, requirements } from './requirements.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** Ids that this test proves by passing; a skipped one leaves them open. */
    requirements?: readonly string[]
  }
}

/** A test that proves requirements. It must go through a door or a contract of the SDK. */
export function proves(
  ids: RequirementId | readonly RequirementId[],
  title: string,
  run: (context: TestContext) => void | Promise<void>,
  timeoutMs?: number,
): void {
  const proved: readonly string[] = typeof ids === 'string' ? [ids] : ids
  const unknown = proved.filter((id) => !Object.hasOwn(requirements, id))
  if (unknown.length > 0 || proved.length === 0)
    throw new Error(`"${title}" proves what no requirement names: ${unknown.join(', ') || '(no id)'}`)
  test(title, { meta: { requirements: proved }, ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }) }, run)
}
