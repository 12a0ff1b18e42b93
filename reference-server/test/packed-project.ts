import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './readme-blocks.ts'

/** Makes a project outside of this repository, with packages as they would be published. */
export function packedProject() {
  const project = mkdtempSync(join(tmpdir(), 'countersign-packed-'))
  const modules = join(project, 'node_modules')

  /** Unpacks a tarball where an install would put it. */
  function install(dir: string, tarball: string): void {
    const { name, bin = {} } = JSON.parse(readFileSync(join(root, dir, 'package.json'), 'utf8'))
    const target = join(modules, name)
    rmSync(target, { recursive: true, force: true })
    mkdirSync(target, { recursive: true })
    run('tar', ['xzf', tarball, '--strip-components=1', '-C', target], project)
    rmSync(join(project, tarball))
    mkdirSync(join(modules, '.bin'), { recursive: true })
    for (const [command, path] of Object.entries<string>(bin)) {
      chmodSync(join(target, path), 0o755)
      const link = join(modules, '.bin', command)
      rmSync(link, { force: true })
      symlinkSync(join(target, path), link)
    }
  }

  /** Packs workspaces by one npm, without the scripts of each, which look whether all packages are built. */
  function pack(dirs: readonly string[]): readonly string[] {
    const workspaces = dirs.flatMap((dir) => ['-w', dir])
    const into = ['--silent', '--pack-destination', project]
    return run('npm', ['pack', '--ignore-scripts', ...into, ...workspaces], root)
      .trim()
      .split('\n')
  }

  return {
    project,
    modules,
    /** The tarball of one as a user's own `npm pack` makes it, in place of what lies there. */
    installOne(dir: string): void {
      const packed = run(
        'npm',
        ['pack', '--silent', '--pack-destination', project],
        join(root, dir),
      )
      install(dir, packed.trim().split('\n').at(-1) ?? '')
    },
    /** Tarballs of them, by name, for a package manager to install. */
    packAll(dirs: readonly string[]): ReadonlyMap<string, string> {
      const tarballs = pack(dirs)
      return new Map(
        dirs.map((dir, at) => {
          const { name } = JSON.parse(readFileSync(join(root, dir, 'package.json'), 'utf8'))
          return [name, join(project, tarballs[at] ?? '')]
        }),
      )
    },
    installAll(dirs: readonly string[]): void {
      mkdirSync(join(modules, '@countersign'), { recursive: true })
      const tarballs = pack(dirs)
      for (const [at, dir] of dirs.entries()) install(dir, tarballs[at] ?? '')
      // What an install would bring beside the tarballs, from where this repository has it.
      const from = join(root, 'node_modules')
      for (const entry of readdirSync(from)) {
        if (entry.startsWith('.') || entry === '@countersign') continue
        symlinkSync(join(from, entry), join(modules, entry))
      }
    },
    end: () => rmSync(project, { recursive: true, force: true }),
  }
}

/** Runs a command to its end, which has to be a good one; what it printed. */
export function run(command: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' })
  if (error) throw error
  assert.equal(status, 0, `${command} ${args.join(' ')}\n${stdout}${stderr}`)
  return stdout
}
