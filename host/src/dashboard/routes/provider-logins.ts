import { fail } from '@agent/plugin-sdk/errors'
import * as z from 'zod/mini'
import { findLogin } from '#config/auth/auth-store.ts'
import { authFiles } from '#config/auth/logged-in.ts'
import { systemClock } from '#kernel/clock.ts'
import { findLoginTrouble } from '#models/credentials/run-login.ts'
import type { ProviderContribution } from '#models/request/endpoint.ts'
import { findProvider } from '#models/select.ts'
import { type OpenedCatalog, openCatalog } from '#rpc/home/open-catalog.ts'
import type { HomeContext } from '#rpc/home-context.ts'
import { type LoginRow, listLogins } from '#rpc/logins/list-logins.ts'
import { logOut } from '#rpc/logins/log-out.ts'
import type { Changed } from '../api.ts'
import type { LoginList, LoginStep, ModelLogin } from '../api-logins.ts'
import { failFields } from '../server/answer-error.ts'
import type { ProviderLogins } from '../server/provider-logins.ts'
import { nothing, type Router } from '../server/router.ts'

/** A code, or the address that a browser ended at. */
const pasted = z.strictObject({ code: z.string().check(z.minLength(1), z.maxLength(8192)) })
const family = '/api/providers/oauth'

/** Logins to the providers of models. No answer has a token in it. */
export function addProviderLogins(router: Router, logins: ProviderLogins): void {
  router.add({
    ...{ method: 'GET', url: family, takes: nothing },
    answer: async ({ context }): Promise<LoginList> => {
      const opened = await openCatalog(context)
      const rows = listLogins(opened.home, systemClock.now())
      const withLogin = opened.catalog.of('provider').filter(({ spec }) => spec.login !== undefined)
      return { providers: withLogin.map((each) => describe(each, opened, rows, logins.find(context, each.id))) }
    },
  })
  router.add({
    ...{ method: 'GET', url: `${family}/:id`, takes: nothing },
    answer: ({ context, id }): LoginStep => findStep(logins, context, id),
  })
  router.add({
    ...{ method: 'POST', url: `${family}/:id/start`, takes: nothing },
    answer: async ({ context, id }): Promise<LoginStep> => {
      const { catalog } = await openCatalog(context)
      return logins.start(context, findProvider(catalog, id).id)
    },
  })
  router.add({
    ...{ method: 'POST', url: `${family}/:id/code`, takes: pasted },
    answer: ({ context, id, input: { code } }): LoginStep => {
      findStep(logins, context, id)
      if (!logins.handIn(context, id, code)) throw failFields({ code: 'is not asked for now' })
      return findStep(logins, context, id)
    },
  })
  router.add({
    ...{ method: 'POST', url: `${family}/:id/cancel`, takes: nothing },
    answer: async ({ context, id }): Promise<Changed> => {
      await logins.cancel(context, id)
      return { said: [], live: true }
    },
  })
  router.add({
    ...{ method: 'POST', url: `${family}/:id/logout`, takes: nothing },
    answer: async ({ context, id }): Promise<Changed> => {
      const { said, live } = await logOut(context, id)
      return { said, live }
    },
  })
}

function findStep(logins: ProviderLogins, context: HomeContext, id: string): LoginStep {
  const step = logins.find(context, id)
  if (!step) throw fail('HTTP_NOT_FOUND', { what: `login to ${id.slice(0, 100)} that is under way` })
  return step
}

function describe(
  contribution: ProviderContribution,
  { home, loaded }: OpenedCatalog,
  rows: readonly LoginRow[],
  step: LoginStep | undefined,
): ModelLogin {
  const { id, spec } = contribution
  const row = rows.find(({ provider, kind }) => provider === id && kind !== 'key')
  const needs = findLoginTrouble(contribution, { environment: loaded.environment, environmentFile: home.files.env })
  const expiresAt = findLogin(authFiles(home), id)?.login.expiresAt
  return {
    ...{ id, name: spec.label, kinds: kindsOf(spec) },
    ...(row === undefined || row.state === 'rests'
      ? { state: 'none', inherited: false }
      : { state: row.state, detail: sentence(row.detail), inherited: row.file !== home.files.auth }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(needs === undefined ? {} : { needs: sentence(needs) }),
    ...(step === undefined ? {} : { step }),
  }
}

function kindsOf({ login, auth, keyEnv }: ProviderContribution['spec']): ModelLogin['kinds'] {
  const own = login === undefined ? [] : [login.kind]
  return auth !== 'login' && keyEnv.length > 0 ? [...own, 'key'] : own
}

const sentence = (half: string): string => `${half[0]?.toUpperCase() ?? ''}${half.slice(1)}.`
