import { fromWireError } from '@agent/plugin-sdk/errors'
import * as z from 'zod/mini'
import { findForm, listForms, type PlatformForm } from '#gateway/setup/platform-form.ts'
import { needsSomebody, type PlatformStatus, readPlatforms } from '#rpc/gateway/read-status.ts'
import { askReload } from '#rpc/gateway/reload-gateway.ts'
import { describeTested, findRunning, testConnection } from '#rpc/gateway/test-connection.ts'
import { wishPlatform } from '#rpc/gateway/wish-platform.ts'
import { type OpenedCatalog, openCatalog } from '#rpc/home/open-catalog.ts'
import type { HomeContext } from '#rpc/home-context.ts'
import { planPlatform, readExtra, variablesOf } from '#rpc/settings/change-platform.ts'
import { hideSecrets } from '#rpc/settings/hide-secrets.ts'
import { type KnownVariable, listKnown } from '#rpc/settings/known-variables.ts'
import type { Changed, Platform, PlatformList, PlatformState, Tried } from '../api.ts'
import { failFields } from '../server/answer-error.ts'
import { nothing, type Router } from '../server/router.ts'
import { longestValue, viewVariables } from './env.ts'

const name = z.string().check(z.maxLength(200))
const wished = z.strictObject({
  enabled: z.optional(z.boolean()),
  env: z.optional(z.record(name, z.string().check(z.maxLength(longestValue)))),
  clear_env: z.optional(z.array(name)),
  extra: z.optional(z.record(name, z.json())),
})

/** The messaging platforms that are installed, by their manifests; none of their modules is loaded but for a test. */
export function addPlatforms(router: Router): void {
  router.add({
    ...{ method: 'GET', url: '/api/messaging/platforms', takes: nothing },
    answer: async ({ context }): Promise<PlatformList> => {
      const opened = await openCatalog(context)
      const platforms = await readPlatforms(context, opened)
      const known = listKnown(opened)
      const view = (form: PlatformForm): Platform => viewPlatform(opened, { form, known, status: findStatus(platforms, form) })
      return { platforms: listForms(opened.catalog, opened.loaded.environment).map(view) }
    },
  })
  router.add({
    ...{ method: 'PUT', url: '/api/messaging/platforms/:id', takes: wished },
    answer: async ({ context, id, input }): Promise<Changed> => {
      const opened = await openCatalog(context)
      const form = findForm(listForms(opened.catalog, opened.loaded.environment), id)
      const plan = await planPlatform(context, opened, { form, known: variablesOf(form, listKnown(opened)), wish: input })
      if (Object.keys(plan.faults).length > 0) throw failFields(plan.faults)
      const changed = plan.write()
      const { said, live } = await askReload(context, opened.home)
      return { said: [...changed, ...said], live }
    },
  })
  router.add({
    ...{ method: 'POST', url: '/api/messaging/platforms/:id/pause', takes: nothing },
    answer: async ({ context, id }): Promise<Changed> => {
      const { platform, done } = await wishPlatform(quietly(context), id, 'paused')
      return {
        said: [`${platform} ${done ? 'is paused' : 'stays paused'}. What is to be sent there waits until it is resumed.`],
        live: done,
      }
    },
  })
  router.add({
    ...{ method: 'POST', url: '/api/messaging/platforms/:id/resume', takes: nothing },
    answer: async ({ context, id }): Promise<Changed> => {
      const { platform, done } = await wishPlatform(quietly(context), id, 'resumed')
      return { said: [`${platform} ${done ? 'connects now' : 'is not paused any more'}.`], live: done }
    },
  })
  router.add({
    ...{ method: 'POST', url: '/api/messaging/platforms/:id/test', takes: nothing },
    answer: async ({ context, id }): Promise<Tried> => {
      const { catalog, loaded, home } = await openCatalog(context)
      const form = findForm(listForms(catalog, loaded.environment), id)
      const found = findRunning(home, form) ?? (await testConnection(context, form))
      return { ok: found.ok, detail: describeTested(form, found) }
    },
  })
}

/** The page says itself that it waits. */
const quietly = (context: HomeContext): HomeContext => ({ ...context, note: () => undefined })

interface Viewed {
  readonly form: PlatformForm
  readonly known: readonly KnownVariable[]
  readonly status: PlatformStatus | undefined
}

function viewPlatform(opened: OpenedCatalog, { form, known, status }: Viewed): Platform {
  const { catalog, loaded } = opened
  const plugin = catalog.plugins.find(({ id, installed }) => id === form.plugin && installed !== undefined)
  const enabled = loaded.config.platforms[form.id]?.enabled
  const configured = form.fields.every(({ required, name }) => !required || loaded.environment.has(name))
  const extra = hideSecrets(readExtra(opened, form.id), 'extra', loaded.environment.secrets())
  return {
    ...stateOf(form, status, configured && enabled !== false),
    name: form.label,
    description: plugin?.installed?.manifest.description ?? '',
    ...(form.docsUrl === undefined ? {} : { docsUrl: form.docsUrl }),
    ...{ plugin: form.plugin, bundled: plugin?.source === 'bundled' },
    ...(enabled === undefined ? {} : { enabled }),
    configured,
    env: viewVariables(opened, variablesOf(form, known)),
    // Manifests and config.yaml are JSON by nature.
    schema: (form.spec.configSchema ?? { type: 'object', properties: {} }) as Platform['schema'],
    extra: extra as Platform['extra'],
    guidance: guide(form),
  }
}

/** One that does not run says why, unless that is what somebody wished. */
function stateOf({ id, reason }: PlatformForm, status: PlatformStatus | undefined, isWished: boolean): PlatformState {
  if (!status) {
    const problem = isWished && reason ? `${reason.text}. ${reason.fix}` : undefined
    return { platform: id, state: 'stopped', needsAttention: false, ...(problem === undefined ? {} : { problem }) }
  }
  const error = 'error' in status ? status.error : undefined
  const problem = error ? { problem: fromWireError(error).message } : {}
  return { platform: id, state: status.state, needsAttention: needsSomebody(status), ...problem }
}

function findStatus(platforms: readonly PlatformStatus[], { id }: PlatformForm): PlatformStatus | undefined {
  return platforms.find(({ platform }) => platform === id)
}

/** Who may write, how strangers are let in, and where the agent reports. */
function guide({ id, label, access, spec, person }: PlatformForm): string {
  const example = person === undefined ? '' : `, each like ${person.like}`
  const strangers =
    spec.unknownSenders === 'pair'
      ? `A stranger who writes in a direct message gets a code. Approve it under **People**, or with \`agent pairing approve ${id} CODE\`.`
      : `Strangers get no answer. \`platforms.${id}.unauthorized_dm_behavior: pair\` sends them a code.`
  const people = [
    `People in \`${access.allowed}\` may write on ${label}: their ids, with commas between them${example}.`,
    strangers,
    `In channels and groups it answers those in \`platforms.${id}.group_allow_from\`.`,
  ]
  const source = [`What comes from ${label} is trusted by its source: no list of people holds here.`]
  const home = `Where the agent reports unasked stands in \`${access.home}\`; \`/sethome\` in a chat sets it too.`
  return [...(spec.gate === 'sender' ? people : source), home].map((line) => `- ${line}`).join('\n')
}
