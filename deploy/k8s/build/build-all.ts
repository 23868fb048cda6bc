import { places } from '../places.ts';
import { type BuildOptions, buildGoPrograms } from './build-go-programs.ts';
import { edgePackages, imagePackages, unpackNode, unpackPackages } from './debian-packages.ts';

/** Fills the cache with all programs that a cluster needs; at once when they are there. */
export async function buildAll(options: BuildOptions): Promise<void> {
  await unpackNode(places.nodeRoot, options);
  await unpackPackages(imagePackages, places.imageRoot, options);
  await unpackPackages(edgePackages, places.edgeRoot, options);
  await buildGoPrograms(options);
}
