import { linkSignals } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import type { FastifyInstance, FastifyReply } from 'fastify'
import * as z from 'zod/mini'
import { keepConfig } from '#config/file/keep-config.ts'
import { profileExists } from '#config/home/profiles.ts'
import { systemClock } from '#kernel/clock.ts'
import { keepManifests } from '#kernel/installed/keep-manifests.ts'
import type { HomeContext } from '#rpc/home-context.ts'
import type { DashboardGround } from '../ground.ts'
import { failFields } from './answer-error.ts'
import type { KnownRoute } from './describe-api.ts'

export interface RouteCall<Input> {
  readonly context: HomeContext
  readonly profile: string
  readonly input: Input
  /** The last part of the path, where the route has one. */
  readonly id: string
  readonly reply: FastifyReply
}

export interface RouteOf<Schema extends z.ZodMiniType, Answer> {
  readonly method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE'
  readonly url: string
  /** Query and body as one; the body wins. */
  readonly takes: Schema
  readonly answer: (asked: RouteCall<z.output<Schema>>) => Promise<Answer> | Answer
}

export interface Router {
  /** What was added. */
  readonly routes: readonly KnownRoute[]
  add<Schema extends z.ZodMiniType, Answer>(route: RouteOf<Schema, Answer>): void
}

export const nothing = z.strictObject({})

/** A whole number that comes as text in a query. */
export const count = (least: number, most: number) =>
  z.pipe(z.string().check(z.regex(/^\d{1,6}$/)), z.transform(Number)).check(z.refine((value) => value >= least && value <= most))

/** The one place where a request gets its profile and its input. */
export function createRouter(server: FastifyInstance, ground: DashboardGround): Router {
  const kept = { parseManifest: keepManifests(systemClock), keepConfig: keepConfig() }
  const routes: KnownRoute[] = []
  return {
    routes,
    add: ({ method, url, takes, answer }) => {
      routes.push({ method, url, takes })
      server.route({
        ...{ method, url },
        handler: async (request, reply) => {
          const { profile: wished, ...given } = { ...readRecord(request.query), ...readRecord(request.body) }
          const profile = findProfileName(ground, wished)
          const parsed = takes.safeParse(given)
          if (!parsed.success) throw failFields(describeIssues(parsed.error.issues))
          const context: HomeContext = { ...ground, profile, signal: endsWith(reply, ground.signal), ...kept }
          const { id = '' } = request.params as { readonly id?: string }
          return answer({ context, profile, input: parsed.data, id, reply })
        },
      })
    },
  }
}

function findProfileName({ environment, profile, isolated }: DashboardGround, wished: unknown): string {
  if (wished === undefined || wished === '') return profile
  if (typeof wished !== 'string') throw failFields({ profile: 'must be a name' })
  if (isolated ? wished !== profile : !profileExists(environment, wished))
    throw fail('PROFILE_NOT_FOUND', { profile: wished.slice(0, 100) })
  return wished
}

function readRecord(value: unknown): Readonly<Record<string, unknown>> {
  if (value === undefined || value === null) return {}
  if (typeof value !== 'object' || Array.isArray(value)) throw failFields({ body: 'must be an object' })
  return value as Readonly<Record<string, unknown>>
}

function describeIssues(issues: readonly z.core.$ZodIssue[]): Readonly<Record<string, string>> {
  const found = issues.flatMap((issue): readonly (readonly [string, string])[] =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => [[...issue.path, key].join('.'), 'is not known here'])
      : [[issue.path.join('.') || 'body', 'does not fit']],
  )
  return Object.fromEntries(found)
}

/** Nobody waits any more where the browser has left. */
function endsWith(reply: FastifyReply, signal: AbortSignal): AbortSignal {
  const left = new AbortController()
  const link = linkSignals(signal, left.signal)
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) left.abort(fail('INTERRUPTED'))
    link[Symbol.dispose]()
  })
  return link.signal
}
