import type { Context, Gate } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { describeError, parseJson } from '@agent/plugin-sdk/http'
import type { Config } from './config.ts'
import { parsePerson } from './wire.ts'

const gate: Gate<Config> = {
  async open(context) {
    return {
      check: async ({ name, password }, { signal }) => {
        // Some directories take a login without a password for one of nobody in particular.
        if (name === '' || password === '') return null
        const person = parsePerson(await ask(context, { name, password }, signal))
        return person !== undefined && context.config.people.includes(person.id) ? { id: person.id } : null
      },
    }
  },
}

/** Every failure has a code; the words are for the log. */
function failure(detail: string): Error {
  return fail('PLUGIN_FAILED', { plugin: 'gate-sample', during: 'a login', detail })
}

/** What the directory says of a name and a password; undefined where they do not fit. */
async function ask({ config, secrets, fetch }: Context<Config>, given: unknown, signal: AbortSignal): Promise<unknown> {
  const headers = { Authorization: `Bearer ${await secrets.get('SAMPLE_DIRECTORY_KEY')}`, 'Content-Type': 'application/json' }
  const request = { method: 'POST', headers, body: JSON.stringify(given), signal }
  const [{ ok, status }, body] = await fetch(`${config.server}/check`, request)
    .then(async (response) => [response, await response.text()] as const)
    .catch((error: unknown) => {
      throw signal.aborted ? signal.reason : failure(describeError(error).detail)
    })
  if (status === 404) return undefined
  if (!ok) throw failure(`the directory answered ${status}`)
  return parseJson(body)
}

export default gate
