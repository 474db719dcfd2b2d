import type { WebSource } from '@agent/plugin-sdk'
import type { Contribution } from '#kernel/catalog/catalog.ts'
import { type BackendWish, chooseBackend, hasKey, offersBackend } from '../choose-backend.ts'

export type WebMethod = keyof WebSource

/** `wanted` is `web.backend`. */
export type FindOptions = Pick<BackendWish<'web-backend'>, 'catalog' | 'wanted'>

/** The backend that does this: the one that `chooseBackend` finds, else one that comes with agent and reads without an account. */
export function findBackend(options: FindOptions, method: WebMethod): Contribution<'web-backend'> | undefined {
  return chooseBackend(wishFor(options, method)) ?? chooseBackend(lastWish(options, method))
}

/** Whether a tool that needs this is offered. */
export function offersWeb(options: FindOptions, method: WebMethod): boolean {
  return offersBackend(wishFor(options, method)) || offersBackend(lastWish(options, method))
}

type Wish = BackendWish<'web-backend'>

function wishFor(options: FindOptions, method: WebMethod): Wish {
  const isFirst = (backend: Contribution<'web-backend'>): boolean => options.wanted !== '' || !isLast(backend, method)
  return {
    ...options,
    kind: 'web-backend',
    unknown: 'WEB_BACKEND_UNKNOWN',
    can: (backend) => backend.spec.capabilities[method] && isFirst(backend),
  }
}

function lastWish(options: FindOptions, method: WebMethod): Wish {
  return { ...wishFor(options, method), wanted: '', can: (backend) => backend.spec.capabilities[method] && isLast(backend, method) }
}

/** What somebody searches for goes to nobody whom they have not chosen; an address is asked anyway. */
function isLast(backend: Contribution<'web-backend'>, method: WebMethod): boolean {
  return method !== 'search' && backend.plugin.source === 'bundled' && !hasKey(backend)
}
