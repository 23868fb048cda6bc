import { expect } from 'chai';
import { mountsBelow } from './clean-up.ts';

describe('mounts below a directory', () => {
  const mountinfo = [
    '1 0 8:1 / / rw - ext4 /dev/vda rw',
    '2 1 0:40 / /tmp/tributary-k8s-a/pod/tmp rw - tmpfs tmpfs rw',
    '3 1 0:41 / /tmp/tributary-k8s-a/pod/tmp/deeper rw - tmpfs tmpfs rw',
    '4 1 0:42 / /tmp/tributary-k8s-ab/pod rw - tmpfs tmpfs rw',
    '',
  ].join('\n');

  it('are those of this directory alone, the newest first', () => {
    expect(mountsBelow('/tmp/tributary-k8s-a', mountinfo)).to.deep.equal([
      '/tmp/tributary-k8s-a/pod/tmp/deeper',
      '/tmp/tributary-k8s-a/pod/tmp',
    ]);
  });
});
