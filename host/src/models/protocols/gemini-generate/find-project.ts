import { fail } from '@agent/plugin-sdk/errors'
import type { Endpoint } from '../../request/endpoint.ts'
import { asRecord } from '../../request/refusal.ts'

type Row = Readonly<Record<string, unknown>>

interface Asking {
  ask(asked: { readonly path: string; readonly body?: object }): Promise<Row>
  /** Between two looks at a registration that takes its time; absent: nobody is registered. */
  readonly pause?: () => Promise<void>
}

const metadata = { ideType: 'IDE_UNSPECIFIED', platform: 'PLATFORM_UNSPECIFIED', pluginType: 'GEMINI' }
/** Five minutes of looks. */
const mostLooks = 60

/** The project of Google Cloud that requests are for: the person's own where a variable names it, or the one that the service keeps for the account. */
export async function findProject({ provider, variables, variableNames }: Endpoint, asking: Asking): Promise<string> {
  if (variables.project) return variables.project
  const account = await asking.ask({ path: ':loadCodeAssist', body: { metadata } })
  const kept = textOf(account.cloudaicompanionProject)
  const project = kept ?? (asRecord(account.currentTier) ? undefined : await register(provider, account, asking))
  if (project) return project
  const reasons = rowsOf(account.ineligibleTiers).map(({ reasonMessage, validationUrl }) =>
    [textOf(reasonMessage), textOf(validationUrl)].filter(Boolean).join(' '),
  )
  const why = reasons.filter(Boolean).join('; ') || 'it has no project'
  const variable = variableNames?.project
  throw blocked(provider, variable === undefined ? why : `${why}; or put the id of a project of yours into ${variable}`)
}

/** Who asks for the first time is put into the plan that the service offers as the usual one. */
async function register(provider: string, account: Row, { ask, pause }: Asking): Promise<string | undefined> {
  const tierId = textOf(rowsOf(account.allowedTiers).find(({ isDefault }) => isDefault === true)?.id)
  if (tierId === undefined) return undefined
  if (!pause) throw blocked(provider, 'it is not registered yet, which its first conversation does')
  let operation = await ask({ path: ':onboardUser', body: { tierId, metadata } })
  for (let looks = 0; operation.done !== true && looks < mostLooks; looks += 1) {
    const name = textOf(operation.name)
    if (name === undefined) break
    await pause()
    operation = await ask({ path: `/${name}` })
  }
  return textOf(asRecord(asRecord(operation.response)?.cloudaicompanionProject)?.id)
}

function blocked(provider: string, detail: string): Error {
  return fail('MODEL_PROVIDER_POLICY_BLOCKED', { provider, detail })
}

function rowsOf(value: unknown): readonly Row[] {
  return (Array.isArray(value) ? value : []).map((row: unknown) => asRecord(row) ?? {})
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
