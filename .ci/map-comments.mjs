// Source maps are for this repository alone, and packages are packed without them. Run in a package: `strip` takes the
// comments that name them out of `dist` before it is packed, `restore` puts them back.
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const comment = /\n\/\/# sourceMappingURL=\S+\.map\s*$/

/** Takes the comments out of the modules and declarations below `dist`, or puts them back where a map lies beside. */
export function mapComments(dist, act) {
  for (const path of readdirSync(dist, { recursive: true })) {
    if (!/\.(js|d\.ts)$/.test(path)) continue
    const file = join(dist, path)
    const text = readFileSync(file, 'utf8')
    const bare = text.replace(comment, '\n')
    const wanted =
      act === 'restore' && existsSync(`${file}.map`)
        ? `${bare.trimEnd()}\n//# sourceMappingURL=${basename(file)}.map`
        : bare
    if (act === 'strip' ? bare !== text : bare === text && wanted !== text) replace(file, wanted)
  }
}

/** In one step: programs load these modules meanwhile, and a second pack may be at work on them. */
function replace(file, text) {
  const beside = `${file}.${process.pid}`
  writeFileSync(beside, text)
  renameSync(beside, file)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [act] = process.argv.slice(2)
  if (act !== 'strip' && act !== 'restore') {
    console.error(`expected strip or restore, got ${act}`)
    process.exit(2)
  }
  mapComments(join(process.cwd(), 'dist'), act)
}
