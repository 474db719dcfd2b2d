import type { Notice } from '@agent/plugin-sdk'
import type { BackgroundProcess } from './background-process.ts'
import { exitWords } from './exit-words.ts'

const shownCommand = 200
const shownLines = 10
const shownOutput = 1000

/** What people are told of a process that was started, or has ended. */
export function noticeOf(process: Pick<BackgroundProcess, 'session' | 'command' | 'startedAt' | 'exit' | 'output'>, now: number): Notice {
  const { session, startedAt, exit } = process
  const command = quoted(process.command)
  if (!exit) return { session, kind: 'started', text: `Started in the background: ${command}` }
  const words = exitWords(exit) || 'exit code 0'
  const head = `Ended in the background after ${Math.round((now - startedAt) / 1000)} s: ${command} (${words})`
  const output = lastLines(process.output.text())
  return { session, kind: exit.code === 0 ? 'result' : 'error', text: output === '' ? head : `${head}\n\n${fenced(output)}` }
}

/** One line, as code. */
function quoted(command: string): string {
  const line = command.replace(/\s+/g, ' ').trim()
  const shown = line.length > shownCommand ? `${line.slice(0, shownCommand)}…` : line
  const fence = '`'.repeat(longestRun(shown) + 1)
  const gap = fence.length > 1 ? ' ' : ''
  return `${fence}${gap}${shown}${gap}${fence}`
}

function lastLines(output: string): string {
  const text = output.trimEnd()
  const lines = text.split('\n').slice(-shownLines).join('\n')
  return lines.length > shownOutput ? `…${lines.slice(-shownOutput)}` : lines
}

/** As a block that no sign in the text can end. */
function fenced(text: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1))
  return `${fence}\n${text}\n${fence}`
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length))
}
