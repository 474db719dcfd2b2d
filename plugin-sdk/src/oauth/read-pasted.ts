import { fail } from '../contract/errors.ts'

/** What a person pastes: the address that the browser ended at, `code#state`, or the code alone. */
export function readPasted(name: string, pasted: string): URLSearchParams {
  const text = pasted.trim()
  if (text === '') throw fail('LOGIN_FAILED', { provider: name, detail: 'no code was pasted' })
  if (URL.canParse(text) && /^https?:/.test(text)) {
    const { searchParams } = new URL(text)
    if (searchParams.has('code') || searchParams.has('error')) return searchParams
    throw fail('LOGIN_FAILED', { provider: name, detail: 'the address that was pasted has no code in it' })
  }
  const [code = '', state] = text.split('#')
  return new URLSearchParams({ code, ...(state ? { state } : {}) })
}
