// What a package promises to its importers: every key of `exports` is built and typed, and every subpath that a README names exists.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'

export async function exportMaps(root, tree) {
  const known = new Map(tree.map(({ manifest }) => [manifest.name, manifest]))
  const perPackage = tree.map(async ({ dir, manifest, paths }) => {
    const broken = brokenKeys(root, dir, manifest)
    return [
      ...broken,
      ...paths
        .filter((path) => path.endsWith('.md'))
        .flatMap((path) =>
          namedSubpaths(known, `${dir}/${path}`, readFileSync(join(root, dir, path), 'utf8')),
        ),
      ...(broken.length ? [] : await unpublishable(root, dir, manifest)),
    ]
  })
  const readme = join(root, 'README.md')
  return [
    ...(existsSync(readme) ? namedSubpaths(known, 'README.md', readFileSync(readme, 'utf8')) : []),
    ...(await Promise.all(perPackage)).flat(),
  ]
}

function brokenKeys(root, dir, manifest) {
  const file = `${dir}/package.json`
  if (!manifest.exports)
    return [{ file, rule: 'exports map', text: `${manifest.name} has no exports map: give it one` }]
  return Object.entries(manifest.exports).flatMap(([key, entry]) => {
    if (typeof entry === 'string' && entry.endsWith('.json')) return notBuilt(key, entry)
    const missing = ['types', 'default'].filter((condition) => entry[condition] === undefined)
    if (missing.length)
      return [
        {
          file,
          rule: 'exports map',
          text: `exports['${key}'] has no '${missing.join("' and no '")}': each key needs both`,
        },
      ]
    return [entry.types, entry.default].flatMap((target) => notBuilt(key, target))
  })

  function notBuilt(key, target) {
    if (existsSync(join(root, dir, target))) return []
    return [
      {
        file,
        rule: 'exports map',
        text: `exports['${key}'] points to ${target}, which the build did not make`,
      },
    ]
  }
}

/** `@countersign/core/signing` in prose and code blocks alike. */
function namedSubpaths(known, file, text) {
  return [...text.matchAll(/@countersign\/[a-z-]+(?:\/[a-z0-9/-]*[a-z0-9])?/g)].flatMap((match) => {
    const [scope, name, ...rest] = match[0].split('/')
    const line = text.slice(0, match.index).split('\n').length
    const manifest = known.get(`${scope}/${name}`)
    if (!manifest)
      return [
        {
          file,
          line,
          rule: 'documented subpath',
          text: `names ${match[0]}, but there is no such package`,
        },
      ]
    const key = ['.', ...rest].join('/')
    if (manifest.exports?.[key]) return []
    return [
      {
        file,
        line,
        rule: 'documented subpath',
        text: `names ${match[0]}, but ${manifest.name} exports no '${key}'`,
      },
    ]
  })
}

async function unpublishable(root, dir, manifest) {
  if (manifest.private) return []
  const { messages } = await publint({ pkgDir: join(root, dir), pack: false })
  return messages
    .filter(({ type }) => type !== 'suggestion')
    .map((message) => ({
      file: `${dir}/package.json`,
      rule: `publint ${message.code}`,
      text: formatMessage(message, manifest, { color: false }),
    }))
}
