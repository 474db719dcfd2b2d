import type { ToolResult } from '@agent/plugin-sdk'
import { detailOf, fail, isAgentError, toWireError } from '@agent/plugin-sdk/errors'

/** What went wrong, with the code of who said it. */
export function failure(tool: string, error: unknown): ToolResult {
  if (isAgentError(error)) return { ok: false, error: toWireError(error) }
  return { ok: false, error: toWireError(fail('TOOL_FAILED', { tool, detail: explain(detailOf(error)) })) }
}

/** Where the library speaks of its protocol, in words of the page. */
const sentences: readonly (readonly [sign: RegExp, sentence: string])[] = [
  [/net::ERR_NAME_NOT_RESOLVED/, 'no such website is known'],
  [/net::ERR_(CONNECTION_\w+|EMPTY_RESPONSE|TUNNEL_CONNECTION_FAILED|PROXY_\w+)/, 'the website does not answer'],
  [/net::ERR_CERT_\w+|net::ERR_SSL_\w+/, 'the website cannot prove who it is'],
  [/net::ERR_ABORTED/, 'the address is no page: it may be a download, which is not taken'],
  [
    /not clickable|not visible|does not have a layout|not an Element|Node does not have/,
    'the element cannot be seen or used now: take a new snapshot, or scroll',
  ],
  [
    /detached|No node with given id|Could not find node|does not belong|Cannot find context|context was destroyed/,
    'the page has changed: take a new snapshot',
  ],
  [/Target closed|Session closed|Connection closed|Page crashed|Protocol error.*closed/i, 'the page has ended: browser_navigate opens one'],
  [/Unknown key/, 'there is no such key; keys are called Enter, Tab, Escape, ArrowDown, a, Control+A'],
]

function explain(detail: string): string {
  const found = sentences.find(([sign]) => sign.test(detail))
  return found ? `${found[1]}.` : detail
}
