import { randomBytes } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import * as z from 'zod/mini'
import { readConfigFile } from '#config/file/config-file.ts'
import type { ConfigProblem } from '#config/file/loaded.ts'
import { configJsonSchema } from '#config/schema/config-json-schema.ts'
import { defaultConfig } from '#config/schema/defaults.ts'
import { mergeDefaults } from '#config/schema/merge.ts'
import { listSettings } from '#config/view.ts'
import { askReload } from '#rpc/gateway/reload-gateway.ts'
import { openCatalog } from '#rpc/home/open-catalog.ts'
import { openHomeOf } from '#rpc/home/open-home-of.ts'
import { planValues } from '#rpc/settings/change-values.ts'
import { hideSecrets } from '#rpc/settings/hide-secrets.ts'
import { readRaw, writeRaw } from '#rpc/settings/raw-config.ts'
import { takeOverKeys } from '#rpc/settings/take-over-keys.ts'
import type { ApiError, Changed, ConfigValues, RawConfig } from '../api.ts'
import { failFields } from '../server/answer-error.ts'
import { nothing, type Router } from '../server/router.ts'

const changed = z.strictObject({ changes: z.record(z.string().check(z.maxLength(500)), z.json()) })
const most = 256 * 1024
const raw = z.strictObject({
  text: z.string().check(z.refine((text) => Buffer.byteLength(text) <= most)),
  revision: z.string().check(z.maxLength(100)),
})

/** config.yaml, by its settings or as the text that it is. A secret in it is in no answer. */
export function addConfig(router: Router): void {
  addValues(router)
  addRaw(router)
}

function addValues(router: Router): void {
  router.add({
    ...{ method: 'GET', url: '/api/config', takes: nothing },
    answer: async ({ context }): Promise<ConfigValues> => {
      const { home, loaded } = await openCatalog(context)
      const values = mergeDefaults(defaultConfig, readConfigFile(home.files.config).value)
      const shadowed = listSettings(loaded).flatMap(({ key, shadowedBy }) => (shadowedBy === undefined ? [] : [[key, shadowedBy] as const]))
      return {
        // Settings and their schema are JSON by nature.
        values: hideSecrets(values, '', loaded.environment.secrets()) as ConfigValues['values'],
        defaults: defaultConfig as unknown as ConfigValues['defaults'],
        shadowed: Object.fromEntries(shadowed),
        schema: configJsonSchema as ConfigValues['schema'],
      }
    },
  })
  router.add({
    ...{ method: 'PUT', url: '/api/config', takes: changed },
    answer: async ({ context, input: { changes } }): Promise<Changed> => {
      const opened = await openCatalog(context)
      const plan = await planValues(context, opened, changes)
      if (Object.keys(plan.faults).length > 0) throw failFields(plan.faults)
      const written = plan.write()
      const { said, live } = await takeOverKeys(context, opened.home, Object.keys(changes))
      return { said: [...written, ...said], live }
    },
  })
}

function addRaw(router: Router): void {
  const salt = randomBytes(16).toString('hex')
  router.add({
    ...{ method: 'GET', url: '/api/config/raw', takes: nothing },
    answer: async ({ context }): Promise<RawConfig> => {
      const { problems, ...found } = await readRaw(context, salt)
      return { ...found, marks: problems.map(toMark) }
    },
  })
  router.add({
    ...{ method: 'PUT', url: '/api/config/raw', takes: raw },
    answer: async ({ context, input, reply }): Promise<RawConfig | Refused> => {
      const found = await writeRaw(context, input, salt)
      if (found.some(({ level }) => level === 'error')) return refuse(reply, found)
      await askReload(context, openHomeOf(context, { create: false }))
      const { problems, ...now } = await readRaw(context, salt)
      return { ...now, marks: problems.map(toMark) }
    },
  })
}

type Refused = ApiError & Pick<RawConfig, 'marks'>

function refuse(reply: FastifyReply, problems: readonly ConfigProblem[]): Refused {
  reply.code(422)
  const message = 'Nothing was written: the text has mistakes. Correct the lines that are named, then save it again.'
  return { error: { code: 'CONFIG_INVALID', message }, marks: problems.map(toMark) }
}

function toMark({ line, key, problem, level }: ConfigProblem): RawConfig['marks'][number] {
  return { line, key, problem, level }
}
