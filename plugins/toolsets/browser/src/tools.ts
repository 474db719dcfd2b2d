import { defineTools } from '@agent/plugin-sdk'
import * as z from 'zod'

/** As a snapshot names an element. */
const ref = z.string().regex(/^@?e[1-9]\d{0,5}$/)

const acts = { effect: 'external', timeoutMs: 300_000 } as const

export const tools = defineTools({
  browser_navigate: {
    description:
      'Open a web address in a browser page of this conversation, and see the page. For pages that need clicks, forms or scripts.',
    parameters: z.strictObject({ url: z.string().min(1).max(4000) }),
    ...acts,
  },
  browser_snapshot: {
    description:
      'See the browser page as text. Elements have names such as @e5. full=false shows only what can be used; full=true shows all.',
    parameters: z.strictObject({ full: z.boolean().default(false) }),
    ...acts,
    effect: 'read',
  },
  browser_click: {
    description: 'Click an element of the browser page, named @e5 by the last snapshot.',
    parameters: z.strictObject({ ref }),
    ...acts,
  },
  browser_type: {
    description: 'Put a text into a field of the browser page in place of what it has; in a list it chooses the entry of this name.',
    parameters: z.strictObject({ ref, text: z.string().max(20_000) }),
    ...acts,
  },
  browser_scroll: {
    description: 'Scroll the browser page by most of its height.',
    parameters: z.strictObject({ direction: z.enum(['up', 'down']) }),
    ...acts,
  },
  browser_back: { description: 'Go back in the browser page.', parameters: z.strictObject({}), ...acts },
  browser_press: {
    description: 'Press a key in the browser page, such as Enter, Tab, Escape or Control+A.',
    parameters: z.strictObject({ key: z.string().min(1).max(40) }),
    ...acts,
  },
  browser_console: {
    description:
      'Read what the browser page wrote to its console (clear=true forgets it), or get the value of a JavaScript expression in it.',
    parameters: z.strictObject({ clear: z.boolean().default(false), expression: z.string().min(1).max(20_000).optional() }),
    ...acts,
  },
  browser_get_images: {
    description: 'List the pictures of the browser page with their addresses.',
    parameters: z.strictObject({}),
    ...acts,
    effect: 'read',
  },
  browser_vision: {
    description: 'Ask a model that sees about a picture of the browser page, where its text is not enough.',
    parameters: z.strictObject({ question: z.string().min(1).max(10_000) }),
    ...acts,
    effect: 'read',
    needsImages: 'describe',
  },
})
