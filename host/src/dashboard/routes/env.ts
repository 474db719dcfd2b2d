import { fail } from '@agent/plugin-sdk/errors'
import * as z from 'zod/mini'
import { readEnvFile } from '#config/environment/env-file.ts'
import { systemClock } from '#kernel/clock.ts'
import { nearestName } from '#kernel/nearest-name.ts'
import { askReload } from '#rpc/gateway/reload-gateway.ts'
import { type OpenedCatalog, openCatalog } from '#rpc/home/open-catalog.ts'
import type { HomeContext } from '#rpc/home-context.ts'
import { type KnownVariable, keepVariables, listKnown, readState } from '#rpc/settings/known-variables.ts'
import type { Changed, EnvList, Variable } from '../api.ts'
import { openAudit } from '../auth/audit.ts'
import { failFields } from '../server/answer-error.ts'
import { nothing, type Router } from '../server/router.ts'

const name = z.string().check(z.minLength(1), z.maxLength(200))
const named = z.strictObject({ name })
export const longestValue = 8192
const valued = z.strictObject({ name, value: z.string().check(z.minLength(1), z.maxLength(longestValue)) })

/** Keys and other variables. Only names that something reads; a secret is shown by `reveal` alone. */
export function addEnv(router: Router): void {
  router.add({
    ...{ method: 'GET', url: '/api/env', takes: nothing },
    answer: async ({ context }): Promise<EnvList> => {
      const opened = await openCatalog(context)
      return { file: opened.home.files.env, variables: viewVariables(opened, listKnown(opened)) }
    },
  })
  router.add({
    ...{ method: 'PUT', url: '/api/env', takes: valued },
    answer: async ({ context, input }) => {
      const opened = await openCatalog(context)
      const misfit = findKnown(opened, input.name).misfit(input.value)
      if (misfit !== undefined) throw failFields({ [input.name]: misfit })
      return keep(context, opened, { [input.name]: input.value })
    },
  })
  router.add({
    ...{ method: 'DELETE', url: '/api/env', takes: named },
    answer: async ({ context, input }) => {
      const opened = await openCatalog(context)
      return keep(context, opened, { [findKnown(opened, input.name).name]: undefined })
    },
  })
  router.add({
    ...{ method: 'POST', url: '/api/env/reveal', takes: named },
    answer: async ({ context, input, reply }) => {
      const opened = await openCatalog(context)
      const known = findKnown(opened, input.name)
      const value = opened.loaded.environment.reference(known.name)
      if (value === undefined) throw fail('HTTP_NOT_FOUND', { what: `value of ${known.name}` })
      const { logs } = opened.home.files
      openAudit(logs, systemClock).write({ event: 'value shown', address: reply.request.ip, variable: known.name })
      return { value }
    },
  })
}

/** Variables as they are shown. */
export function viewVariables({ home, loaded }: OpenedCatalog, known: readonly KnownVariable[]): readonly Variable[] {
  const written = readEnvFile(home.files.env).values
  return known.map(({ misfit: _misfit, ...variable }) => ({ ...variable, ...readState(variable, loaded, written) }))
}

function findKnown(opened: OpenedCatalog, wanted: string): KnownVariable {
  const known = listKnown(opened)
  const found = known.find((one) => one.name === wanted)
  if (found) return found
  const nearest = nearestName(
    wanted,
    known.map((one) => one.name),
  )
  const hint = nearest === undefined ? '' : `; the nearest name is ${nearest}`
  throw fail('HTTP_NOT_FOUND', { what: `variable ${wanted} that anything here reads${hint}` })
}

async function keep(context: HomeContext, opened: OpenedCatalog, values: Readonly<Record<string, string | undefined>>): Promise<Changed> {
  const changed = keepVariables(opened, values)
  if (changed.length === 0) return { said: ['Nothing had to change.'], live: true }
  const { said, live } = await askReload(context, opened.home)
  return { said: [...changed, ...said], live }
}
