import { expect, test } from 'vitest'
import { findProblem, type MessageBody } from './check-message.ts'

const files = new Map([
  ['1', { mime: 'image/png' }],
  ['2', { mime: 'image/gif' }],
])
const problem = (message: MessageBody) => findProblem({ messaging_product: 'whatsapp', to: '15550002222', ...message }, files)?.code
const interactive = (type: string, action: object, text = 'May I?') => ({
  type: 'interactive',
  interactive: { type, body: { text }, action },
})
const replies = (...titles: readonly string[]) => ({ buttons: titles.map((title) => ({ reply: { id: title, title } })) })

test.each([
  ['a text', { type: 'text', text: { body: 'Hi' } }],
  ['a picture', { type: 'image', image: { id: '1', caption: 'Look' } }],
  ['buttons', interactive('button', replies('Yes', 'No'))],
  ['a list', interactive('list', { button: 'Choose', sections: [{ rows: [{ id: '1', title: 'One' }] }] })],
  ['typing', { status: 'read', message_id: 'wamid.1', typing_indicator: { type: 'text' } }],
] as const)('%s is taken', (_, message) => {
  expect(problem(message as MessageBody)).toBeUndefined()
})

test.each([
  ['no product', { messaging_product: '' }, 100],
  ['no receiver', { to: 'ann', type: 'text', text: { body: 'Hi' } }, 131_009],
  ['an empty text', { type: 'text', text: { body: '' } }, 131_009],
  ['a long text', { type: 'text', text: { body: 'x'.repeat(4097) } }, 131_009],
  ['a file that was not uploaded', { type: 'image', image: { id: '9' } }, 131_009],
  ['a picture that is not shown', { type: 'image', image: { id: '2' } }, 131_053],
  ['a long caption', { type: 'document', document: { id: '1', caption: 'x'.repeat(1025) } }, 131_009],
  ['four buttons', interactive('button', replies('1', '2', '3', '4')), 131_009],
  ['a long label', interactive('button', replies('x'.repeat(21))), 131_009],
  ['a label twice', interactive('button', replies('Yes', 'Yes')), 131_009],
  ['a long question', interactive('button', replies('Yes'), 'x'.repeat(1025)), 131_009],
  ['a list without a button', interactive('list', { sections: [{ rows: [{ id: '1', title: 'One' }] }] }), 131_009],
  ['a long row', interactive('list', { button: 'Choose', sections: [{ rows: [{ id: '1', title: 'x'.repeat(25) }] }] }), 131_009],
  ['a read mark of nothing', { status: 'read', message_id: '1' }, 131_009],
] as const)('%s is refused', (_, message, code) => {
  expect(problem(message as MessageBody)).toBe(code)
})
