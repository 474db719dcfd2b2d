// The host's own protocols, opened as the agent opens them; bundled by the figure, since it is written in TypeScript.
import { subscribe } from 'node:diagnostics_channel'
import { readFileSync } from 'node:fs'
import { manifestSchema } from '@agent/plugin-sdk'
import { systemClock } from '../../../../host/src/kernel/clock.ts'
import { openModels } from '../../../../host/src/models/open.ts'
import { silentLog } from '../../../../host/src/observe/silent-log.ts'
import { measure } from './measure.mjs'

const [provider, origin, path, what] = process.argv.slice(2)
const key = 'sk-bench-0123456789'
const manifest = manifestSchema.parse(JSON.parse(readFileSync(`plugins/providers/${provider}/agent.plugin.json`, 'utf8')))
const spec = { ...manifest.contributes.providers[0], baseUrl: `${origin}${path}` }
const variables = { [spec.keyEnv[0]]: spec.auth === 'aws' ? undefined : key, AWS_ACCESS_KEY_ID: 'AKIDBENCH', AWS_SECRET_ACCESS_KEY: key }
const providers = [{ kind: 'provider', id: spec.id, spec }]
const models = openModels({
  catalog: { of: () => providers },
  config: { model: {} },
  environment: { get: (name) => variables[name] },
  ...{ environmentFile: '.env', clock: systemClock, log: silentLog, timeoutMs: 60_000, newCallId: () => 'call' },
})

const call = { id: 'call', signal: new AbortController().signal, deadline: 60_000 }
const messages = [{ role: 'user', parts: [{ type: 'text', text: 'Hello' }] }]

async function count(id) {
  const model = await models.model({ provider: spec.id, model: id })
  let heard = 0
  for await (const event of model.stream({ model: id, system: '', messages, tools: [], session: 'ses' }, call)) {
    if (event.type === 'failed') throw new Error(JSON.stringify(event))
    if (event.type === 'text') onText(++heard)
  }
  return heard
}

let onText = () => undefined

/** Milliseconds from when the bytes of a first token are in this process until its event is passed on. */
async function measureFirst() {
  let arrived = 0
  subscribe('http.client.response.finish', ({ response }) => {
    const { push } = response
    response.push = (...pieces) => {
      arrived = performance.now()
      return push.apply(response, pieces)
    }
  })
  const waits = []
  onText = (heard) => heard === 1 && waits.push(performance.now() - arrived)
  for (let round = 0; round < 300; round += 1) await count('first')
  return waits.slice(100)
}

process.stdout.write(`${JSON.stringify(what === 'first' ? { waits: await measureFirst() } : await measure(count))}\n`)
await models.close()
