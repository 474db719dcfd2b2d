import { defineTools } from '@agent/plugin-sdk'
import * as z from 'zod'
import { columns } from './board.ts'

const card = z.string().regex(/^[1-9]\d{0,5}$/)

export const tools = defineTools({
  kanban_create: {
    description: 'Put a card on the board. It begins in the column todo.',
    parameters: z.strictObject({ title: z.string().min(1).max(120) }),
    effect: 'none',
  },
  kanban_list: {
    description: 'List the cards on the board, or those of one column.',
    parameters: z.strictObject({ column: z.enum(columns).optional() }),
    effect: 'none',
    replaySafe: true,
    parallel: true,
  },
  kanban_move: {
    description: 'Move a card, by its number, to another column.',
    parameters: z.strictObject({ card, column: z.enum(columns) }),
    effect: 'none',
    replaySafe: true,
  },
  kanban_remove: {
    description: 'Take a card, by its number, off the board.',
    parameters: z.strictObject({ card }),
    effect: 'none',
  },
})
