import { fail } from '@agent/plugin-sdk/errors'
import * as z from 'zod/mini'
import { commandNames, missingCommands } from '#commands/command-names.ts'
import { forgetAliases } from '#config/alias-programs.ts'
import { homeOf } from '#config/home/home.ts'
import { createProfile, deleteProfile, findProfile, listProfiles } from '#config/home/profiles.ts'
import { findInstance } from '#gateway/instance/instance.ts'
import type { ProfileList } from '../api.ts'
import type { DashboardGround } from '../ground.ts'
import { nothing, type Router } from '../server/router.ts'

const named = z.strictObject({ name: z.string().check(z.minLength(1), z.maxLength(64)) })

/** The profiles of the home; an isolated dashboard has its own alone. */
export function addProfiles(router: Router, { environment, isolated }: DashboardGround): void {
  const list = (current: string): ProfileList => ({
    profiles: listProfiles(environment)
      .filter(({ name }) => !isolated || name === current)
      .map(({ name, path }) => {
        const { root } = findProfile(environment, name)
        return { name, home: path, current: name === current, running: findInstance(homeOf(root, name)) !== undefined }
      }),
  })
  router.add({ ...{ method: 'GET', url: '/api/profiles', takes: nothing }, answer: ({ profile }) => list(profile) })
  if (isolated) return
  router.add({
    ...{ method: 'POST', url: '/api/profiles', takes: named },
    answer: ({ profile, input: { name } }) => {
      if ([...commandNames, ...missingCommands, 'help'].includes(name))
        throw fail('HTTP_INVALID', { param: 'name', problem: `"${name}" is a command of agent, and a profile is called like a command` })
      createProfile(environment, name)
      return list(profile)
    },
  })
  router.add({
    ...{ method: 'DELETE', url: '/api/profiles', takes: named },
    answer: ({ profile, input: { name } }) => {
      const home = findProfile(environment, name)
      deleteProfile(environment, name)
      forgetAliases(environment, home)
      return list(profile)
    },
  })
}
