import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Why a program does not update itself, and how it is updated then; two sentences, the first without its full stop. */
export interface UpdateObstacle {
  readonly problem: string
  readonly next: string
}

/** Undefined where the program is a git checkout. */
export function findUpdateObstacle(installRoot: string): UpdateObstacle | undefined {
  if (existsSync(join(installRoot, '.git'))) return undefined
  return {
    problem: `${installRoot} is no git checkout`,
    next: 'Update it the way it was installed; with npm: npm install --global agent@latest.',
  }
}
