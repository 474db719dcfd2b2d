import { fromWireError } from '@agent/plugin-sdk/errors'
import type { ServedProfile } from '#gateway/reload/reload-report.ts'

/** What became of a profile that the gateway of the default one serves, or does not. */
export function describeServed({ profile, state, url, error }: ServedProfile): string {
  if (error) return `Profile ${profile} is not served (${error.code}). ${fromWireError(error).message}`
  if (state === 'served') return `Profile ${profile} is served${url === '' ? '' : ` at ${url}`}.`
  if (state === 'stopped') return `Profile ${profile} was stopped on purpose. agent -p ${profile} gateway start serves it.`
  return `Profile ${profile} is ${state === 'gone' ? 'gone, and served no more' : 'still being opened'}.`
}
