// Asks every external link of documents, messages and manifests whether it still answers: `node .ci/links.mjs`, with
// `--json` for programs, `--list` to ask none. Ends with 1 when one failed. Its own workflow runs it: tests stay on loopback.
import { parseArgs } from 'node:util'
import { askLinks, externalLinks } from './external-links.mjs'
import { home } from './packages.mjs'

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    root: { type: 'string', default: home },
  },
})
const links = externalLinks(values.root)
if (values.list) {
  for (const { url, places } of links) console.log(lineFor(url, places))
} else {
  const result = await askLinks(links)
  if (values.json) console.log(JSON.stringify(result, null, 2))
  else report(result)
  process.exitCode = result.failed.length ? 1 : 0
}

function report({ asked, failed, untold }) {
  for (const { url, says, places } of untold) console.log(`? ${says}: ${lineFor(url, places)}`)
  for (const { url, says, places } of failed) console.log(`✗ ${says}: ${lineFor(url, places)}`)
  console.log(`${asked} links: ${failed.length} failed, ${untold.length} refuse programs`)
}

function lineFor(url, places) {
  return [url, ...places.map(({ file, line }) => `    ${file}:${line}`)].join('\n')
}
