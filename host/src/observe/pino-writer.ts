import type { Log } from '@agent/plugin-sdk'
import { type Logger, pino } from 'pino'
import type { LogLevel, LogName } from './format-line.ts'

export interface LineEntry {
  readonly name: LogName
  readonly level: LogLevel
  readonly time: number
  readonly message: string
  readonly fields: Parameters<Log['info']>[1]
}

export type LineWriter = (entry: LineEntry) => void

/** Turns entries into lines with pino and hands them to the files. */
export function openWriter(put: (name: LogName, level: LogLevel, line: string) => void): LineWriter {
  const loggers = new Map<LogName, Logger>()
  let current: LineEntry | undefined
  const loggerOf = (name: LogName): Logger => {
    const known = loggers.get(name)
    if (known) return known
    const logger = pino(
      {
        level: 'debug',
        base: { pid: process.pid, name },
        // Under a separate key, so that a field called "level" cannot stand for the level.
        nestedKey: 'fields',
        timestamp: () => `,"time":${current?.time ?? 0}`,
        formatters: { level: (label) => ({ level: label }) },
      },
      { write: (line: string) => put(name, current?.level ?? 'info', line) },
    )
    loggers.set(name, logger)
    return logger
  }
  return (entry) => {
    current = entry
    const logger = loggerOf(entry.name)
    if (entry.fields === undefined) logger[entry.level](entry.message)
    else logger[entry.level](entry.fields, entry.message)
  }
}
