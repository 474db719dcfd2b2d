import type { Pattern } from './dangers.ts'

const systemFolder = '(bin|boot|dev|etc|home|lib(32|64)?|opt|proc|root|run|sbin|srv|sys|usr|var|Users|System|Library|Applications)'
const everything = `\\/(\\*|\\.\\*|${systemFolder}(\\/\\*)?)?( |$)`
const systemRoot = new RegExp(`^${everything}|^\\/usr\\/(bin|sbin|lib(32|64)?|share)(\\/\\*)?$`)
const disk = '\\/dev\\/(sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|md|dm-|mapper\\/)'

/**
 * Never run, whatever the settings say. Each pattern is held against the lines of an inspection:
 * programs by their bare names, paths absolute, quotes gone. A line that starts with `:` is a finding of the inspection itself.
 */
const floor: readonly Omit<Pattern, 'harm'>[] = [
  {
    name: 'root-delete',
    sentence: 'it deletes the whole system or a folder that the system needs',
    pattern: new RegExp(`^rm (.* )?${everything}`),
  },
  {
    name: 'root-permissions',
    sentence: 'it takes the whole system from its users',
    pattern: new RegExp(`^(chmod|chown|chgrp|setfacl) (.* )?(-[a-zA-Z]*R[a-zA-Z]*|--recursive) (.* )?${everything}`),
  },
  { name: 'root-delete', sentence: 'it asks rm to spare nothing', pattern: /^rm .*--no-pres/ },
  {
    name: 'root-delete',
    sentence: 'it deletes all that it finds in the whole system',
    pattern: new RegExp(`^find (.* )?${everything}.*(-delete|-exec(dir)? (\\S*\\/)?(rm|shred|unlink))`),
  },
  {
    name: 'fork-bomb',
    sentence: 'it starts itself over and over until the machine stands still',
    pattern: /^:calls-itself$/,
  },
  { name: 'disk-format', sentence: 'it formats a disk', pattern: /^(mkfs(\.\w+)?|mke2fs|mkswap|newfs\w*) .*\/dev\// },
  { name: 'disk-write', sentence: 'it writes to a disk past its file system', pattern: new RegExp(`^dd .*of=${disk}`) },
  {
    name: 'disk-write',
    sentence: 'it writes to a disk past its file system',
    pattern: new RegExp(`(>+\\|?|^(tee|shred|wipefs|cp|truncate) (.* )?)${disk}`),
  },
  {
    name: 'shutdown',
    sentence: 'it switches the machine off or restarts it',
    pattern:
      /^(shutdown|reboot|halt|poweroff|(tel)?init [06]$|systemctl (.* )?(poweroff|reboot|halt|kexec|suspend|hibernate|emergency|rescue)( |$)|initctl (.* )?stop )/,
  },
  { name: 'shutdown', sentence: 'it switches the machine off or restarts it', pattern: /(>|^tee .*)\/proc\/sysrq-trigger/ },
  { name: 'kill-everything', sentence: 'it ends every process of the machine', pattern: /^kill (.* )?-1$|^kill (.* )?-- -1$/ },
  {
    name: 'remote-root',
    sentence: 'it runs what it fetches from the network as root',
    pattern: /^(.* )?(curl|wget|fetch|aria2c) .*\| (.* )?(sudo|doas|su) (.* )?((ba|z|da|k)?sh|python[\d.]*|perl|ruby|node)( |$)/,
  },
  {
    name: 'remote-root',
    sentence: 'it runs what it fetches from the network as root',
    pattern: /^(.* )?(sudo|doas|su) (.* )?((ba|z|da|k)?sh|python[\d.]*) .*(\$|‹)\((curl|wget)/,
  },
]

export const hardline: readonly Pattern[] = floor.map((row) => ({ ...row, harm: 'machine' }))

/** A folder without which the system does not work. */
export const isSystemFolder = (path: string): boolean => systemRoot.test(path.replace(/(.)\/$/, '$1'))
