import { formatMinute } from './format-minute.ts'

/** What the agent is asked in a turn that plans only, and what it hears beside it. */
export function planTurn(task: string, now: number): { readonly text: string; readonly instructions: string } {
  const path = `.agent/plans/${formatMinute(now).slice(0, 10)}-${nameOf(task)}.md`
  return {
    text: task === '' ? 'Write a plan for what we talk about.' : `Write a plan: ${task}`,
    instructions: [
      'In this turn you plan and do nothing else. Read what you need: files, the web, earlier conversations.',
      `Then write the plan as Markdown to ${path} of the workspace, and change nothing but this file: no other file, no command that changes something, no message to others, no job.`,
      'The plan says what is to be reached, what is there now, the steps in their order with the files that each concerns, how each is checked, and what is not known yet.',
      `Where a file of this name is there with another plan, put a number behind the name. At the end say in a few sentences what the plan is and where it lies.`,
    ].join('\n'),
  }
}

/** The first words of a task as a name of a file. */
function nameOf(task: string): string {
  const words = task.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  return words.slice(0, 6).join('-').slice(0, 50).replace(/-$/, '') || 'plan'
}
