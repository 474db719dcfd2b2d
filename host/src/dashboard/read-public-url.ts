import { fail } from '@agent/plugin-sdk/errors'

/** Where people reach the dashboard by a proxy, as `dashboard.public_url` names it; undefined where that is empty. */
export function readPublicUrl(text: string, file: string): URL | undefined {
  if (text === '') return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search === '') return url
  throw fail('CONFIG_INVALID', {
    file,
    line: 0,
    key: 'dashboard.public_url',
    problem: 'must be an address like https://agent.example.org, whose path stands in dashboard.base_path',
  })
}
