// Which test files share a process. Loading a package takes longer than most of its tests, so those run in batches; a file
// whose package is not named here starts processes or threads, or changes its own, and has one to itself.
const shared = ['core', 'receiver-kit', 'adapters/client', 'adapters/koa'].map(
  (it) => `${it}/dist/test/`,
)
/** Files in a process at most: few enough that no processor idles at the end, and that a heap stays small. */
const most = 24

/** Whether a file makes a test itself. One that has a suite of another file make them is not named by any, and would not be missed. */
const isOwn = (text) => /\b(describe|it|test)\(/.test(text)

/** Test files in batches, in their order: the first file of each is run, and loads the others. `read`: the text of a file. */
export function batchesOf(files, read) {
  const batches = []
  let room
  for (const file of files) {
    const its = /\.long\.test\.js$/.test(file)
      ? undefined
      : shared.find((dir) => file.startsWith(dir) && isOwn(read(file)))
    const batch = batches.at(-1)
    if (its !== undefined && its === room && batch.length < most) batch.push(file)
    else batches.push([file])
    room = its
  }
  return batches
}
