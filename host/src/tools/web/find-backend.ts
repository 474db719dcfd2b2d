import type { WebSource } from '@agent/plugin-sdk'
import type { Contribution } from '#kernel/catalog/catalog.ts'
import { type BackendWish, chooseBackend, offersBackend } from '../choose-backend.ts'

export type WebMethod = keyof WebSource

/** `wanted` is `web.backend`. */
export type FindOptions = Pick<BackendWish<'web-backend'>, 'catalog' | 'wanted'>

/** The backend that does this, see `chooseBackend`. */
export function findBackend(options: FindOptions, method: WebMethod): Contribution<'web-backend'> | undefined {
  return chooseBackend(wishFor(options, method))
}

/** Whether a tool that needs this is offered. */
export function offersWeb(options: FindOptions, method: WebMethod): boolean {
  return offersBackend(wishFor(options, method))
}

function wishFor(options: FindOptions, method: WebMethod): BackendWish<'web-backend'> {
  return { ...options, kind: 'web-backend', unknown: 'WEB_BACKEND_UNKNOWN', can: ({ spec }) => spec.capabilities[method] }
}
