import { cp, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'
import type { Answer, Rule } from './needed-rules.ts'
import { folder } from './packs.ts'
import { program } from './second-process.ts'

const entry = fileURLToPath(new URL('../verify/index.js', import.meta.url))
/** Where the first verifier looks up which of its rules is off. */
const switchName = 'countersignRuleOff'

/** The first verifier, any one of whose rules can be switched off. */
export interface Switched {
  readonly verifier: typeof import('@countersign/documents/verify')
  /** Switches off the rule of a function, or none. */
  switchOff(rule: Rule | null): void
}

/** Bundles the first verifier with a switch at the beginning of each of these rules' functions. */
export async function switchedFirst(all: readonly Rule[]): Promise<Switched> {
  const missing = new Set(all)
  const plugin: Plugin = {
    name: 'switches',
    setup({ onLoad }) {
      onLoad({ filter: /evidence\/verify\/[\w-]+\.js$/ }, async ({ path }) => {
        const file = /([\w-]+)\.js$/.exec(path)?.[1]
        let contents = await readFile(path, 'utf8')
        for (const rule of all.filter(({ first }) => first[0] === file)) {
          const [, name, value] = rule.first
          const head = new RegExp(`^ *(?:export )?function ${name}\\([^]*?\\) \\{$`, 'm')
          contents = contents.replace(head, (found) => {
            missing.delete(rule)
            return `${found} if (globalThis.${switchName} === '${file} ${name}') return ${value};`
          })
        }
        return { contents, loader: 'js' }
      })
    },
  }
  const outfile = join(await mkdtemp(join(folder, 'switched-')), 'verifier.mjs')
  await build({
    ...{ entryPoints: [entry], bundle: true, platform: 'node', format: 'esm', outfile },
    plugins: [plugin],
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
  })
  if (missing.size > 0)
    throw new Error(`no such function: ${[...missing].map(({ first }) => first[1]).join()}`)
  return {
    verifier: (await import(outfile)) as Switched['verifier'],
    switchOff(rule) {
      const name = rule && `${rule.first[0]} ${rule.first[1]}`
      Object.assign(globalThis, { [switchName]: name })
    },
  }
}

/** A copy of the second verifier without this rule; yields its folder. */
export async function secondWithout([file, name, value]: Answer): Promise<string> {
  const copy = await mkdtemp(join(folder, 'second-'))
  await cp(program, copy, { recursive: true })
  const path = join(copy, `${file}.py`)
  const text = await readFile(path, 'utf8')
  const without = text.replace(
    new RegExp(`^( *)def ${name}\\(.*\\):\\n`, 'm'),
    (head, indent: string) => `${head}${indent}    return ${value}\n`,
  )
  if (without === text) throw new Error(`the second verifier has no ${name}`)
  await writeFile(path, without)
  return copy
}
