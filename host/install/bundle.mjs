import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** The export condition under which our own packages are read from source. */
export const sourceCondition = 'agent-source'

const banner = "import { createRequire as createRequireOfNode } from 'node:module'; const require = createRequireOfNode(import.meta.url);"

/** Options that every bundle shares: ESM for the oldest Node that is supported, names kept for stack traces. */
const common = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  conditions: [sourceCondition],
  mainFields: ['module', 'main'],
  minifySyntax: true,
  minifyWhitespace: true,
  keepNames: false,
  legalComments: 'none',
  logLevel: 'silent',
  banner: { js: banner },
}

/**
 * The addon is loaded by path (`nativeBinding`). Without one it is looked for where the installer linked it into the package;
 * the search that `bindings` does over the disk would start from the bundle and never find it.
 */
const nativeAddon = {
  name: 'native-addon',
  setup(build) {
    build.onResolve({ filter: /^bindings$/ }, () => ({ path: 'bindings', namespace: 'native-addon' }))
    build.onLoad({ filter: /.*/, namespace: 'native-addon' }, () => ({
      contents: `module.exports = (name) => {
        const { versions, platform, arch } = process
        return require('better-sqlite3/lib/binding/node-v' + versions.modules + '-' + platform + '-' + arch + '/' + name)
      }`,
      resolveDir: '/',
    }))
  },
}

/** Commander could start other programs for its subcommands; nothing here asks it to, and loading what it would do it with takes 5 ms. */
const noSubprograms = {
  name: 'no-subprograms',
  setup(build) {
    build.onResolve({ filter: /^node:child_process$/ }, ({ importer }) =>
      /node_modules.commander./.test(importer) ? { path: 'child_process', namespace: 'no-subprograms' } : undefined,
    )
    build.onLoad({ filter: /.*/, namespace: 'no-subprograms' }, () => ({ contents: 'module.exports = {}' }))
  },
}

/**
 * A module that ends in `-json-schema.ts` is computed here and bundled as its value: the program that runs loads neither zod
 * nor the schemas that it was made from.
 */
const computedSchemas = {
  name: 'computed-schemas',
  setup(build) {
    build.onLoad({ filter: /-json-schema\.ts$/ }, async ({ path }) => {
      const { outputFiles } = await build.esbuild.build({ ...common, banner: {}, entryPoints: [path], write: false, metafile: false })
      const values = await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`)
      return {
        contents: Object.entries(values)
          .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)}`)
          .join('\n'),
      }
    })
  },
}

/**
 * Every file behind the SDK's index that somebody uses is loaded with the index, by whomever: a formatter of text would bring the
 * schema of the manifest, and with it zod. The one module that needs the schema gets it past the index, as a copy that it does not know,
 * and so does everything of the SDK that the schema is made from: the table of kinds is read at every start.
 */
const schemaApart = {
  name: 'schema-apart',
  setup(build) {
    build.onResolve({ filter: /^@agent\/plugin-sdk$/ }, async ({ path, importer, resolveDir, kind, pluginData }) => {
      if (pluginData === schemaApart || !importer.endsWith('parse-manifest.ts')) return undefined
      const index = await build.resolve(path, { importer, resolveDir, kind, pluginData: schemaApart })
      return { path: join(dirname(index.path), 'kinds', 'manifest.ts'), namespace: 'apart', sideEffects: false }
    })
    build.onResolve({ filter: /^\./, namespace: 'apart' }, ({ path, resolveDir }) => {
      return { path: join(resolveDir, path), namespace: 'apart', sideEffects: false }
    })
    build.onLoad({ filter: /.*/, namespace: 'apart' }, ({ path }) => {
      return { contents: readFileSync(path, 'utf8'), loader: 'ts', resolveDir: dirname(path) }
    })
  },
}

/** What the loader of the bundle hands to it: see `host/install/load-host.mjs`. */
const handedIn = {
  name: 'handed-in',
  setup(build) {
    build.onLoad({ filter: /kernel.import-file\.ts$/ }, () => ({ contents: 'export const importFile = hostImport' }))
  },
}

/** What yaml has for browsers is the same program in ESM: only what is used of it gets into the bundle. */
const yamlModules = () => join(dirname(createRequire(import.meta.url).resolve('yaml/package.json')), 'browser', 'dist', 'index.js')

/** Bundles the host: one file, whose parts run when a command needs them. Answers the files written, relative to dist. */
export async function bundleHost(folder) {
  return write(folder, hostOptions(folder), childOptions(folder), ...partsApart(folder))
}

/** The program in which plugins of others run: one small file, because it may read no other of ours. */
export function childOptions(folder) {
  return {
    ...common,
    banner: {},
    absWorkingDir: folder,
    entryPoints: { 'extension-host': join(folder, 'src', 'kernel', 'extension-host', 'child-main.ts') },
    outExtension: { '.js': '.mjs' },
  }
}

/** Libraries that one command alone uses, each a file that the other commands do not carry along; and the folder that uses it. */
const apart = {
  fastify: { file: 'web-server', usedBy: 'dashboard' },
  '@agentclientprotocol/sdk': { file: 'editor-protocol', usedBy: join('cli', 'acp') },
  '@modelcontextprotocol/server': { file: 'tool-server', usedBy: join('cli', 'mcp') },
}

function partsApart(folder) {
  const more = { format: 'cjs', banner: {}, absWorkingDir: folder, outExtension: { '.js': '.cjs' } }
  return Object.entries(apart)
    .filter(([, { usedBy }]) => existsSync(join(folder, 'src', usedBy)))
    .map(([library, { file }]) => ({ ...common, ...more, entryPoints: { [file]: library } }))
}

const librariesApart = {
  name: 'libraries-apart',
  setup(build) {
    for (const [library, { file }] of Object.entries(apart))
      build.onResolve({ filter: new RegExp(`^${library}$`) }, () => ({ path: `./${file}.cjs`, external: true }))
  },
}

/** How the host is bundled: as the text of a function, because V8 keeps the compiled code of a script and of no module. */
export function hostOptions(folder) {
  return {
    ...common,
    format: 'cjs',
    banner: { js: '(function (exports, require, module, hostUrl, hostImport) {' },
    footer: { js: '})' },
    define: { 'import.meta.url': 'hostUrl' },
    // What is compiled and kept has lost the way to import; a module of Node's is required.
    supported: { 'dynamic-import': false },
    absWorkingDir: folder,
    entryPoints: { main: join(folder, 'src', 'cli', 'main.ts') },
    outExtension: { '.js': '.cjs' },
    plugins: [nativeAddon, noSubprograms, librariesApart, computedSchemas, schemaApart, handedIn, asciiWithPrint],
    alias: { yaml: yamlModules() },
    // A module with machine code, loaded when a terminal is opened.
    external: ['@lydell/node-pty'],
  }
}

/** Letters beyond ASCII that esbuild leaves in patterns and templates are written as escapes, and the file ends in its print. */
const asciiWithPrint = {
  name: 'ascii-with-print',
  setup(build) {
    build.onEnd(({ outputFiles = [], errors }) => {
      if (errors.length > 0) return undefined
      const [file] = outputFiles
      const text = file.text
      const found = /\braw`[^`]*[^\0-\x7f]|\brequire\((?!["'`])[^)]*\)/.exec(text)
      if (found) return { errors: [{ text: `The bundle of the host cannot have ${found[0].slice(0, 80)} in it.` }] }
      const ascii = text.replace(/[^\0-\x7f]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)
      file.contents = Buffer.from(`${ascii}//# ${createHash('sha256').update(ascii).digest('hex')}`)
      return undefined
    })
  },
}

/** Whether there is a compiler that can write declarations: it is for developers, and who only uses the program has none. */
export const hasCompiler = (root) => existsSync(join(root, 'node_modules', 'typescript', 'package.json'))

/** Bundles the SDK's entry points, as package.json names them; where a compiler is installed, their declarations lie beside them. */
export async function bundleSdk(folder) {
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const entries = Object.values(exports)
    .map((entry) => [entry.default.replace(/^\.\/dist\/(.*)\.js$/, '$1'), join(folder, entry[sourceCondition])])
    .filter(([, file]) => existsSync(file))
  const outputs = await write(folder, { entryPoints: Object.fromEntries(entries), splitting: true, packages: 'external' })
  if (!hasCompiler(dirname(folder))) return outputs
  const { writeDeclarations } = await import('../../plugin-sdk/bin/declarations.mjs')
  return [...outputs, ...writeDeclarations(join(folder, 'dist', 'types')).map((file) => `types/${file}`)]
}

/** How the browser's side is bundled: every page a part that is loaded when it is opened, names that change with what is in them. */
export function webOptions(folder) {
  return {
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    conditions: [sourceCondition],
    splitting: true,
    minify: true,
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    mainFields: ['browser', 'module', 'main'],
    banner: {},
    absWorkingDir: folder,
    entryPoints: { app: join(folder, 'src', 'main.tsx'), style: join(folder, 'src', 'styles', 'style.css') },
    entryNames: 'assets/[name]-[hash]',
    chunkNames: 'assets/[name]-[hash]',
  }
}

/** Bundles the browser's side of the dashboard; the page names the files that were made. */
export async function bundleWeb(folder) {
  const page = readFileSync(join(folder, 'index.html'), 'utf8')
  const outputs = await write(folder, webOptions(folder))
  const named = page.replace(/assets\/(app|style)\.(js|css)/g, (_, name, end) => outputs.find((file) => made(file, name, end)))
  writeFileSync(join(folder, 'dist', 'index.html'), named)
  // Names that stay: an installed app asks for them again.
  const kept = readdirSync(join(folder, 'public'))
  for (const file of kept) copyFileSync(join(folder, 'public', file), join(folder, 'dist', file))
  return [...outputs, 'index.html', ...kept]
}

const made = (file, name, end) => new RegExp(`^assets/${name}-[^/]+\\.${end}$`).test(file)

async function write(folder, ...bundles) {
  const { build } = await import('esbuild')
  const [dist, draft, old] = ['dist', 'dist.tmp', 'dist.old'].map((name) => join(folder, name))
  for (const left of [draft, old]) rmSync(left, { recursive: true, force: true })
  const written = []
  for (const options of bundles) {
    const { metafile, outputFiles } = await build({
      ...common,
      ...options,
      absWorkingDir: folder,
      outdir: draft,
      metafile: true,
      write: false,
    })
    mkdirSync(draft, { recursive: true })
    for (const { path, contents } of outputFiles) {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, contents)
    }
    written.push(...Object.keys(metafile.outputs))
  }
  // Set aside rather than deleted first: the program is missing for no longer than it takes to rename.
  if (existsSync(dist)) renameSync(dist, old)
  renameSync(draft, dist)
  rmSync(old, { recursive: true, force: true })
  return written.map((file) => file.replace(/^dist\.tmp\//, ''))
}
