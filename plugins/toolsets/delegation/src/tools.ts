import { defineTools } from '@agent/plugin-sdk'
import * as z from 'zod'

const task = {
  goal: z.string().min(1).max(20_000).describe('What is to be done, so that it can be understood alone.'),
  context: z
    .string()
    .max(50_000)
    .optional()
    .describe('Paths, findings and wishes that matter. The child agent hears nothing of this conversation.'),
  toolsets: z.array(z.string().min(1).max(100)).max(50).optional().describe('Toolsets that it has, of yours; absent: all of them.'),
  role: z.enum(['leaf', 'orchestrator']).optional().describe('An orchestrator may hand on tasks itself, where the settings allow it.'),
  max_iterations: z.int().min(1).max(1000).optional().describe('Most steps that it takes.'),
}

export const tools = defineTools({
  delegate_task: {
    description:
      'Hand work to child agents, each in a separate conversation, and wait for them: one task by goal, or several at the same time by tasks. Good for work that takes many steps and of which only the outcome matters, and for independent parts. Answers with what each of them says, and how it ended.',
    parameters: z.strictObject({
      ...task,
      goal: task.goal.optional(),
      tasks: z.array(z.strictObject(task)).min(1).max(50).optional().describe('Several tasks, in place of goal.'),
      background: z
        .boolean()
        .optional()
        .describe('Do not wait: they work on when you have answered, and what comes of each is told in this conversation later.'),
    }),
    effect: 'external',
    timeoutMs: 86_400_000,
  },
})
